import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type {
  RunStatus,
  Tracker,
  TrackerContext,
  TrackerDefinition,
  TrackerRecord,
} from '../tracking/index.js';
import type { ContractCheck } from './contract-check.js';
import { frozen } from './contract-groups.js';
import { expectThat } from './contract-values.js';
import { inFolder } from './temporary-folder.js';

export interface TrackerContractOptions {
  /** It writes to the run's folder: then a folder that it cannot write to must be told. Default false. */
  readonly writes?: boolean;
}

/**
 * What every tracker must do, as checks for any test runner. The trainer warns about what a tracker throws and goes on, so an error
 * that a tracker keeps to itself is lost.
 */
export function trackerContract(
  definition: TrackerDefinition,
  { writes = false }: TrackerContractOptions = {},
): readonly ContractCheck[] {
  const checks: ContractCheck[] = [];
  const add = (name: string, run: () => Promise<void>): void => void checks.push({ name, run });

  add('has the name under which it is chosen', () =>
    inFolder(async (runDirectory) => {
      const { name } = definition.create(contextOf(runDirectory));
      expectThat(name === definition.name, `the tracker of "${definition.name}" calls itself "${name}"`);
    }),
  );
  for (const status of ['completed', 'interrupted', 'failed'] as const) {
    add(`takes records of training and validation, and an end as ${status}`, () =>
      inFolder(async (runDirectory) => {
        await write(definition.create(contextOf(runDirectory)), RECORDS, status);
        const files = await readdir(runDirectory);
        expectThat(!writes || files.length > 0, 'it wrote nothing to the folder of the run');
        expectThat(writes || files.length === 0, `it wrote ${files.join(', ')}; say so by { writes: true }`);
      }),
    );
  }
  add('ends well without a single record', () =>
    inFolder((runDirectory) => write(definition.create(contextOf(runDirectory)), [], 'failed')),
  );
  add('goes on where a run is resumed', () =>
    inFolder(async (runDirectory) => {
      const [first, second, ...rest] = RECORDS;
      await write(
        definition.create(contextOf(runDirectory)),
        [first, second].flatMap((one) => one ?? []),
        'interrupted',
      );
      await write(definition.create(contextOf(runDirectory, 1)), rest, 'completed');
    }),
  );
  if (writes) {
    add('a folder that it cannot write to is an error, not silence', () =>
      inFolder(async (folder) => {
        const file = join(folder, 'file');
        await writeFile(file, '');
        let told = false;
        try {
          await write(definition.create(contextOf(file)), RECORDS, 'completed');
        } catch {
          told = true;
        }
        expectThat(told, 'its folder is a file, and it threw nothing');
      }),
    );
  }
  return checks;
}

/** Names as the trainer gives them, numbers of every size, and steps that go up. */
const RECORDS: readonly TrackerRecord[] = frozen([
  { step: 0, epoch: 0, kind: 'val', metrics: { 'val/unknown/pass@1': 0 } },
  { step: 1, epoch: 0, kind: 'train', metrics: { 'reward/agent/mean': 0.625, 'time/step_s': 1e-9 } },
  { step: 2, epoch: 0, kind: 'train', metrics: { 'reward/agent/mean': -1e300, 'batch/solve_rate': 1 } },
  { step: 2, epoch: 0, kind: 'val', metrics: { 'val/größe 1/pass@1': 0.5 } },
  { step: 3, epoch: 1, kind: 'train', metrics: {} },
]);

function contextOf(runDirectory: string, resumedFrom = 0): TrackerContext {
  return frozen({
    runDirectory,
    runId: 'contract',
    config: { trainer: { projectName: 'contract' } },
    resumedFrom,
    print: () => undefined,
  });
}

async function write(tracker: Tracker, records: readonly TrackerRecord[], status: RunStatus): Promise<void> {
  for (const record of records) await tracker.log(record);
  await tracker.finish(status);
}
