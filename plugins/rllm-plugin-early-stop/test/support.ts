import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type App,
  type AppOptions,
  createApp,
  definePlugin,
  defineWorkflow,
  type PluginDefinition,
  type RllmConfigInput,
} from 'rllm-sdk';
import { inMemoryBackend } from 'rllm-sdk/testing';
import { onTestFinished } from 'vitest';
import earlyStop from '../src/index.js';

const TASKS = 8;

/** How many of the eight validation tasks are solved after each number of updates; then the last for ever. */
export type Script = readonly number[];

/** A backend whose validation follows a script; in training every second rollout is right, so that every step trains. */
export function scripted(script: Script, checkpoints = true): PluginDefinition {
  const backend = inMemoryBackend({
    capabilities: { checkpoints },
    policy: ({ identity, weightVersion }) => {
      const solved = script[Math.min(weightVersion, script.length - 1)] ?? 0;
      const isRight =
        identity.mode === 'train' ? identity.rolloutIndex % 2 === 0 : Number(identity.taskId) < solved;
      return isRight ? 'yes' : 'no';
    },
  });
  return definePlugin({ name: 'scripted', apiVersion: 1, backends: [backend] });
}

const sayYes = defineWorkflow('say-yes', async (_task, context) => {
  const agent = context.agent('speaker');
  const { content } = await agent.respond('well?');
  agent.reward(content === 'yes' ? 1 : 0);
});

const rows = Array.from({ length: TASKS }, (_, i) => ({ id: String(i) }));

export interface Scripted {
  readonly script: Script;
  readonly options?: Readonly<Record<string, unknown>>;
  readonly trainer?: RllmConfigInput['trainer'];
  readonly checkpoints?: boolean;
  readonly app?: AppOptions;
}

/** An app that validates before the first step and after each, for up to eight steps, with early stopping. */
export function scriptedApp({ script, options, trainer, checkpoints, app }: Scripted): Promise<App> {
  return createApp(
    {
      backend: 'in-memory',
      rollout: { n: 2 },
      data: { trainBatchSize: 1 },
      trainer: { totalBatches: 8, testFreq: 1, valBeforeTrain: true, saveFreq: 1, ...trainer },
    },
    {
      plugins: [
        scripted(script, checkpoints),
        { use: earlyStop, options: { metric: 'val/unknown/pass@1', patience: 2, ...options } },
      ],
      workflow: sayYes,
      trainData: rows,
      valData: rows,
      useDeclared: false,
      ...app,
    },
  );
}

/** A folder that is removed after the test. */
export function tempFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'rllm-early-stop-')));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

export async function bestOf(run: string): Promise<unknown> {
  return JSON.parse(await readFile(join(run, 'best/best.json'), 'utf8'));
}
