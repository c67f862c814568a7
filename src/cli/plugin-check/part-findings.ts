import { Command } from 'commander';
import { checkOptions, type OptionProblem } from '../../check-options.js';
import type { App } from '../../container/index.js';
import { messageOf } from '../../errors.js';
import { SILENT } from '../../logger.js';
import type { PluginContents } from '../../plugin-host/index.js';
import {
  backendContract,
  type EstimatorContractOptions,
  episodeOf,
  estimatorContract,
  groupingHookContract,
  trackerContract,
} from '../../testing/index.js';
import { addPluginCommand } from '../add-plugin-command.js';
import { withCommonFlags, withConfigFlags } from '../command-flags.js';
import type { CheckRule } from './check-rules.js';
import type { OpenPlugin } from './open-plugin.js';
import { failuresOf } from './suite-failures.js';

/** A finding about a part of a plugin, before it is known which file it is about. */
export interface PartFinding {
  readonly rule: CheckRule;
  readonly message: string;
}

/** What is found about one part, by its name. */
type PartCheck = (open: OpenPlugin, name: string) => Promise<readonly PartFinding[]>;

const CHECKS: Partial<Record<keyof PluginContents, PartCheck>> = {
  estimators: checkEstimator,
  groupingHooks: checkGroupingHook,
  backends: checkBackend,
  rewards: checkReward,
  trackers: checkTracker,
  commands: checkCommand,
};

/** Runs what `rllm-sdk/testing` has for each part that a plugin brings, with the default options of the part. */
export async function partFindings(open: OpenPlugin): Promise<readonly PartFinding[]> {
  const { brings, overrides } = open.plugin;
  const findings: PartFinding[] = [];
  const kinds = Object.keys(brings) as (keyof PluginContents)[];
  if (kinds.every((kind) => brings[kind].length === 0)) {
    findings.push({ rule: 'plugin-empty', message: 'it brings nothing' });
  }
  for (const kind of kinds) {
    for (const name of overrides[kind]) {
      const message = `it takes the place of "${name}" (${kind}) of the SDK, in every run that loads it`;
      findings.push({ rule: 'name-replaced', message });
    }
    for (const name of brings[kind]) {
      if (summaryOf(open.app, kind, name) === '') {
        findings.push({ rule: 'no-summary', message: `"${name}" (${kind}) has no summary for lists` });
      }
      findings.push(...((await CHECKS[kind]?.(open, name)) ?? []));
    }
  }
  return findings;
}

/** Undefined for kinds that are in no list. */
function summaryOf(app: App, kind: keyof PluginContents, name: string): string | undefined {
  if (kind === 'hooks' || kind === 'bindings' || kind === 'workflows') return undefined;
  if (kind === 'estimators' || kind === 'groupingHooks' || kind === 'rewards') {
    return app[kind].entry(name).value.options.summary ?? '';
  }
  return app[kind].get(name).summary ?? '';
}

async function checkEstimator({ app, construct }: OpenPlugin, name: string): Promise<readonly PartFinding[]> {
  const { target } = app.estimators.entry(name).value;
  const failures = (options: EstimatorContractOptions) =>
    failuresOf(`estimator "${name}"`, () => estimatorContract(target, { construct, ...options }));
  const wrong = await failures({ uniform: 'free', ordered: true });
  if (wrong.length > 0) return wrong.map((message) => ({ rule: 'estimator-contract', message }));
  const hint = 'where its formula means that, say so in its documentation';
  return (await failures({})).map((message) => {
    return { rule: 'estimator-unusual', message: `${message}; ${hint}` };
  });
}

async function checkGroupingHook(
  { app, construct }: OpenPlugin,
  name: string,
): Promise<readonly PartFinding[]> {
  const subject = `grouping hook "${name}"`;
  const problems = app.groupingHooks.checkOptions(name, app.config.transform);
  if (problems.length > 0) return [skipped(subject, problems)];
  const { target } = app.groupingHooks.entry(name).value;
  const failures = await failuresOf(subject, () => groupingHookContract(target, { construct }));
  return failures.map((message) => ({ rule: 'grouping-hook-contract', message }));
}

async function checkBackend({ app }: OpenPlugin, name: string): Promise<readonly PartFinding[]> {
  const subject = `backend "${name}"`;
  const definition = app.backends.get(name);
  const { problems } = await checkOptions(definition.options, {});
  if (problems.length > 0) return [skipped(subject, problems)];
  const failures = await failuresOf(subject, () => backendContract(definition));
  return failures.map((message) => ({ rule: 'backend-contract', message }));
}

function skipped(subject: string, problems: readonly OptionProblem[]): PartFinding {
  const why = problems.map(({ at, message }) => `${at.slice(1) || 'options'}: ${message}`).join('; ');
  return { rule: 'part-skipped', message: `${subject} was not tried, as it needs options (${why})` };
}

/** Whether it writes to the folder of the run only its own test knows: the suite that suits it better counts. */
async function checkTracker({ app }: OpenPlugin, name: string): Promise<readonly PartFinding[]> {
  const definition = app.trackers.get(name);
  const failures = (writes: boolean) =>
    failuresOf(`tracker "${name}"`, () => trackerContract(definition, { writes }));
  const [silent, writing] = [await failures(false), await failures(true)];
  const fewest = writing.length < silent.length ? writing : silent;
  return fewest.map((message) => ({ rule: 'tracker-contract', message }));
}

/** Rollouts that a reward function may meet: a plain one, one of several turns, one in which the model was never heard. */
const SAMPLES = [
  episodeOf({ rewards: { agent: null } }),
  episodeOf({ rewards: { solver: 1, judge: null }, steps: 3 }),
  episodeOf({ rewards: { agent: null }, steps: 0, terminationReason: 'timeout' }),
];

async function checkReward({ app }: OpenPlugin, name: string): Promise<readonly PartFinding[]> {
  const subject = `reward function "${name}"`;
  const { value: options, problems } = await app.rewards.checkOptions(name, {});
  if (problems.length > 0) return [skipped(subject, problems)];
  const { signal } = new AbortController();
  const task = { id: 'task', question: 'question', answer: 'answer' };
  for (const episode of SAMPLES) {
    for (const trajectory of episode.trajectories) {
      const sample = `a sample rollout of ${trajectory.steps.length} steps`;
      let score: unknown;
      try {
        // The options are what its own schema made of none.
        const input = { task, trajectory, episode, options: options as never, signal };
        score = await app.rewards.get(name).score(input);
      } catch (thrown) {
        return [{ rule: 'reward-threw', message: `${subject} threw on ${sample}: ${messageOf(thrown)}` }];
      }
      if (typeof score !== 'number' || !Number.isFinite(score)) {
        const message = `${subject} gave ${String(score)} for ${sample}, and a reward is a finite number`;
        return [{ rule: 'reward-value', message }];
      }
    }
  }
  return [];
}

async function checkCommand({ app, plugin }: OpenPlugin, name: string): Promise<readonly PartFinding[]> {
  const program = withConfigFlags(withCommonFlags(new Command('rllm')));
  try {
    const definition = app.commands.get(name);
    addPluginCommand(program, { definition, plugin: plugin.name, app, logger: SILENT }, () => undefined);
    return [];
  } catch (thrown) {
    return [{ rule: 'command-flags', message: messageOf(thrown) }];
  }
}
