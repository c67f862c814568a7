import type {
  BackendOptionsMap,
  DatasetOptionsMap,
  EstimatorOptionsMap,
  GroupingHookOptionsMap,
  NameOf,
  OptionsByName,
  OptionsOf,
  PluginOptionsMap,
  RewardOptionsMap,
  TrackerNames,
  WorkflowOptionsMap,
} from './names.js';
import type {
  AlgorithmConfig,
  DataConfig,
  RewardReference,
  RllmConfig,
  TrackingConfig,
  TransformConfig,
  WorkflowConfig,
} from './types.js';

/** What may be left out: every section and field; records and lists are given whole. */
type Partly<T> = T extends readonly unknown[]
  ? T
  : T extends object
    ? string extends keyof T
      ? T
      : { readonly [K in keyof T]?: K extends 'stopWhen' ? T[K] | undefined : Partly<T[K]> | undefined }
    : T;

/** A part by its name, with the options that go with it. */
interface Use<Name, Names> {
  readonly use: Name & NameOf<Names>;
  readonly options?: OptionsOf<Name, Names> | undefined;
}

interface AlgorithmInput
  extends Partly<Omit<AlgorithmConfig, 'estimator' | 'estimatorMap' | 'estimatorOptions'>> {
  readonly estimator?: NameOf<EstimatorOptionsMap> | undefined;
  readonly estimatorMap?: Readonly<Record<string, NameOf<EstimatorOptionsMap>>> | undefined;
  readonly estimatorOptions?: OptionsByName<EstimatorOptionsMap> | undefined;
}

interface TransformInput extends Partly<Omit<TransformConfig, 'groupingHook' | 'groupingOptions'>> {
  readonly groupingHook?: NameOf<GroupingHookOptionsMap> | undefined;
  readonly groupingOptions?: OptionsByName<GroupingHookOptionsMap> | undefined;
}

interface BackendInput {
  readonly name?: NameOf<BackendOptionsMap> | undefined;
  readonly options?: OptionsByName<BackendOptionsMap> | undefined;
}

interface WorkflowInput<Name extends string> extends Partly<Omit<WorkflowConfig, 'use' | 'options'>> {
  readonly use?: Name | undefined;
  readonly options?: OptionsOf<Name, WorkflowOptionsMap> | undefined;
}

interface RewardInput<Name>
  extends Use<Name, RewardOptionsMap>,
    Partial<Omit<RewardReference, 'use' | 'options'>> {}

/** A file, or a source with its options. */
type DatasetInput<Name extends string> = string | Use<Name, DatasetOptionsMap> | null | undefined;

interface DataInput<Train extends string, Val extends string>
  extends Partly<Omit<DataConfig, 'train' | 'val'>> {
  readonly train?: DatasetInput<Train>;
  readonly val?: DatasetInput<Val>;
}

interface TrackingInput extends Partly<Omit<TrackingConfig, 'trackers'>> {
  readonly trackers?: readonly NameOf<TrackerNames>[] | undefined;
}

type PluginList<Names extends readonly unknown[]> = {
  readonly [I in keyof Names]: string | Use<Names[I], PluginOptionsMap>;
};

type RewardList<Names extends readonly unknown[]> = {
  readonly [I in keyof Names]: NameOf<RewardOptionsMap> | RewardInput<Names[I]>;
};

/** Names that a config uses, by place, for the options that go with them. */
interface NamesUsed {
  readonly workflow: string;
  readonly train: string;
  readonly val: string;
  readonly plugins: readonly unknown[];
  readonly rewards: readonly unknown[];
}

type Rewritten =
  | 'algorithm'
  | 'transform'
  | 'workflow'
  | 'reward'
  | 'data'
  | 'backend'
  | 'tracking'
  | 'plugins';

interface ConfigInput<Used extends NamesUsed> extends Partly<Omit<RllmConfig, Rewritten>> {
  /** Where editors find the schema of this file. */
  readonly $schema?: string | undefined;
  /** A package name, a file relative to the config file, or either with options. */
  readonly plugins?: PluginList<Used['plugins']> | undefined;
  readonly algorithm?: AlgorithmInput | undefined;
  readonly transform?: TransformInput | undefined;
  readonly workflow?: WorkflowInput<Used['workflow']> | undefined;
  /** Reward functions, each a name, or one with weight, roles and options. */
  readonly reward?: { readonly functions?: RewardList<Used['rewards']> | undefined } | undefined;
  readonly data?: DataInput<Used['train'], Used['val']> | undefined;
  /** The name of a backend, or the name with options by backend. */
  readonly backend?: NameOf<BackendOptionsMap> | BackendInput | undefined;
  readonly tracking?: TrackingInput | undefined;
}

/** What a user writes: whatever is left out, or undefined, takes its default. */
export interface RllmConfigInput extends ConfigInput<NamesUsed> {}

/** Types a config file: `export default defineConfig({ … })`. Returns what it is given. */
export function defineConfig<
  const Workflow extends NameOf<WorkflowOptionsMap>,
  const Train extends NameOf<DatasetOptionsMap>,
  const Val extends NameOf<DatasetOptionsMap>,
  const Plugins extends readonly unknown[],
  const Rewards extends readonly unknown[],
>(
  input: ConfigInput<{
    readonly workflow: Workflow;
    readonly train: Train;
    readonly val: Val;
    readonly plugins: Plugins;
    readonly rewards: Rewards;
  }>,
): RllmConfigInput {
  return input;
}
