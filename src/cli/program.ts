import { Command, InvalidArgumentError, Option } from 'commander';
import { SDK_VERSION } from '../version.js';
import { type Action, commandAction, type Run } from './command-action.js';
import {
  collect,
  withCommonFlags,
  withConfigFlags,
  withDataOnlyFlag,
  withJsonFlag,
} from './command-flags.js';
import type { RecomputeOptions } from './commands/advantages-recompute.js';
import type { CompareOptions } from './commands/estimators-compare.js';
import type { EvalOptions } from './commands/eval.js';
import type { CheckOptions } from './commands/plugins-check.js';
import type { CreateOptions } from './commands/plugins-create.js';
import type { TrainOptions } from './commands/train.js';
import type { CommonOptions, ConfigOptions } from './options.js';
import { PLUGIN_KINDS } from './plugin-kinds.js';

/**
 * The command line. Only commander and the few files that speak of it load before a command is chosen: help has to be quick,
 * and each command brings its own parts.
 */
export function createProgram(setExitCode: (code: number) => void): Command {
  const does = <Options extends CommonOptions>(load: () => Promise<Run<Options>>): Action =>
    commandAction(setExitCode, load);

  const program = withCommonFlags(new Command('rllm'))
    .description('Train LLM agents by reinforcement learning.')
    .version(SDK_VERSION)
    .showHelpAfterError('Run with --help to see what is allowed.')
    .addHelpText('after', '\nPlugins may bring commands of their own; `rllm plugins list` names them.')
    .exitOverride();

  withConfigFlags(program.command('train'))
    .description('train a policy, or go on with a run')
    .option('--run-dir <dir>', 'write the run into this empty folder')
    .addOption(
      new Option('--resume <dir>', 'go on with the run in this folder').conflicts([
        'config',
        'runDir',
        'dryRun',
      ]),
    )
    .option(
      '--allow-plugin-change',
      'with --resume: go on although plugins are missing, new or of another version',
    )
    .option('--dry-run', 'build everything and run one rollout, without an update')
    .action(does<TrainOptions>(async () => (await import('./commands/train.js')).train));

  withConfigFlags(program.command('eval'))
    .description('validate a policy: a checkpoint, the end of a run, or the model as it starts')
    .addOption(
      new Option('--run <dir>', 'the latest checkpoint of this run, with its configuration').conflicts(
        'checkpoint',
      ),
    )
    .option('--checkpoint <dir>', 'this checkpoint')
    .option('--min <metric=value>', 'exit with 3 when a metric is lower (repeatable)', collect)
    .action(does<EvalOptions>(async () => (await import('./commands/eval.js')).evaluate));

  const config = program.command('config').description('look at the configuration');
  withConfigFlags(config.command('print'))
    .description('print every value with where it comes from')
    .action(does<ConfigOptions>(async () => (await import('./commands/config-print.js')).printConfig));
  withConfigFlags(config.command('validate'))
    .description('check the configuration with its plugins and names; exit with 2 on a fault')
    .action(does<ConfigOptions>(async () => (await import('./commands/config-validate.js')).validateConfig));
  withConfigFlags(config.command('schema'))
    .description('print the JSON Schema of the config file')
    .option('--with-plugins', 'with the options of the estimators that plugins bring')
    .action(does<ConfigOptions>(async () => (await import('./commands/config-schema.js')).printSchema));

  const estimators = program.command('estimators').description('look at advantage estimators');
  withConfigFlags(estimators.command('list'))
    .description('list all that the configuration can name')
    .action(does<ConfigOptions>(async () => (await import('./commands/estimators-list.js')).listEstimators));
  withConfigFlags(estimators.command('compare'))
    .description('show what each estimator makes of the same rewards')
    .argument(
      '[names...]',
      'estimators, as NAME or NAME:OPTION=VALUE,… (default: all that the input can feed)',
    )
    .option('--rewards <json>', 'rewards by group, [[1,0],[1,1]], or a JSON file of them')
    .option('--lengths <json>', 'response tokens of each trajectory, in the shape of the rewards')
    .addOption(
      new Option('--run <dir>', 'the saved episodes of this run, with its configuration').conflicts([
        'rewards',
        'lengths',
        'config',
      ]),
    )
    .option('--step <n>', 'with --run: this step (default: the last one saved)', whole)
    .option('--gradient', 'measure bias and variance of the policy gradient on a bandit')
    .option(
      '--arms <n>',
      'of the bandit: how many arms, or the reward of each, [1,0.5,0] (default: 8)',
      armsGiven,
    )
    .option('--groups <n>', 'of the bandit: tasks in a batch', whole, 4)
    .option('--rollouts <n>', 'of the bandit: rollouts of a task', whole, 8)
    .option('--batches <n>', 'of the bandit: gradients to sample', whole, 1000)
    .option('--seed <n>', "of the bandit (default: the configuration's)", whole)
    .option('--html <file>', 'write one page with plots')
    .action(
      does<CompareOptions>(async () => (await import('./commands/estimators-compare.js')).compareEstimators),
    );

  const advantages = program.command('advantages').description('look at the advantages of a run');
  withJsonFlag(withDataOnlyFlag(advantages.command('recompute')))
    .description('give the saved episodes of a run to another estimator')
    .argument('<run>', 'folder of the run')
    .requiredOption('--estimator <name>', 'as NAME or NAME:OPTION=VALUE,…')
    .option('--step <n>', 'this step alone', whole)
    .option('--out <file>', 'write old and new advantage of each trajectory, a line of JSON each')
    .option('-s, --set <path=value>', 'set one value of the configuration of the run (repeatable)', collect)
    .action(
      does<RecomputeOptions>(async () => (await import('./commands/advantages-recompute.js')).recompute),
    );

  const plugins = program.command('plugins').description('look at plugins, write one, check one');
  withConfigFlags(plugins.command('list'))
    .description('list all that the configuration names, and what they bring')
    .action(does<ConfigOptions>(async () => (await import('./commands/plugins-list.js')).listPlugins));
  withJsonFlag(plugins.command('create'))
    .description('write a new plugin package that builds, tests and packs')
    .argument('<name>', 'of the npm package, for example rllm-plugin-mine')
    .option('--dir <dir>', 'into this new or empty folder (default: one of the name)')
    .addOption(new Option('--kind <kind>', 'what it brings').choices(PLUGIN_KINDS).default('estimator'))
    .action(does<CreateOptions>(async () => (await import('./commands/plugins-create.js')).createPlugin));
  withJsonFlag(plugins.command('check'))
    .description('check a built plugin package, or a plugin file, against what the SDK asks of it')
    .argument('<path>', 'folder of the package, or a file')
    .option('--options <json>', 'options of the plugin, as the configuration would give them')
    .action(does<CheckOptions>(async () => (await import('./commands/plugins-check.js')).checkPlugin));

  return program;
}

function whole(value: string): number {
  const number = Number(value);
  if (/^\d+$/.test(value) && Number.isSafeInteger(number)) return number;
  throw new InvalidArgumentError('It is a whole number.');
}

function armsGiven(value: string): number | readonly number[] {
  if (/^\d+$/.test(value)) return whole(value);
  try {
    const arms: unknown = JSON.parse(value);
    if (Array.isArray(arms) && arms.every((reward) => typeof reward === 'number')) return arms;
  } catch {
    // Said below.
  }
  throw new InvalidArgumentError('It is a whole number, or a list of rewards such as [1,0.5,0].');
}
