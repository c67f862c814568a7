import { checkOptions, withoutOptions } from '../check-options.js';
import type { DatasetReference, RllmConfig } from '../config/index.js';
import type { ChosenDataset, DatasetSource } from '../data/index.js';
import type { Registry } from '../registry.js';
import { type SettingFault, unknownName } from './check-names.js';

/** The dataset sources that a config names, not opened yet. */
export interface DatasetChoice {
  readonly train: ChosenDataset | undefined;
  readonly val: ChosenDataset | undefined;
  /** Names that nothing has, options that a source does not take. */
  readonly faults: readonly SettingFault[];
}

export async function chooseDatasets(
  { data }: RllmConfig,
  sources: Registry<DatasetSource>,
): Promise<DatasetChoice> {
  const faults: SettingFault[] = [];
  const choose = async (
    reference: DatasetReference | null,
    path: string,
  ): Promise<ChosenDataset | undefined> => {
    if (reference === null) return undefined;
    const { use, options } = reference;
    if (!sources.has(use)) {
      faults.push(...unknownName('dataset source', use, `${path}.use`, sources.names()));
      return undefined;
    }
    const { value: source, owner } = sources.entry(use);
    const checked =
      source.options === undefined
        ? withoutOptions(options, 'this dataset source takes no options')
        : await checkOptions(source.options, options);
    faults.push(...checked.problems.map(({ at, message }) => ({ path: `${path}.options${at}`, message })));
    return { source, options: checked.value, part: { what: `dataset source "${use}"`, owner } };
  };
  const train = await choose(data.train, 'data.train');
  const val = await choose(data.val, 'data.val');
  return { train, val, faults };
}
