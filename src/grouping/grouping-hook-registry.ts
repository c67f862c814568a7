import { checkOptionsNow, type OptionProblem, withoutOptions } from '../check-options.js';
import type { TransformConfig } from '../config/types.js';
import { type DeclaredKind, DeclaredRegistry } from '../declared-registry.js';
import { RllmError } from '../errors.js';
import type { StandardSchema } from '../standard-schema.js';
import type { GroupingHook, GroupingHookClass, GroupingHookOptions } from './grouping-hook.js';

export interface GroupingHookDescriptor {
  readonly name: string;
  readonly summary: string;
  readonly owner: string;
}

const GROUPING_HOOK: DeclaredKind<GroupingHook, GroupingHook, GroupingHookOptions> = {
  kind: 'groupingHook',
  title: 'grouping hook',
  method: 'group',
  threw: 'GROUPING_HOOK',
  fromFunction: (hook, { options }) => (options === undefined ? hook : withOptions(hook, options)),
  fromInstance: (instance, { options }) => {
    if (!isHook(instance)) return undefined;
    const hook: GroupingHook = (episodes, transform, own) => instance.group(episodes, transform, own);
    return options === undefined ? hook : withOptions(hook, options);
  },
};

/** The grouping hooks of one app, by name. What `get` gives checks the options it is called with by the hook's own schema. */
export class GroupingHookRegistry extends DeclaredRegistry<
  GroupingHookClass,
  GroupingHook,
  GroupingHook,
  GroupingHookOptions
> {
  /** @param options.construct  makes an instance of a class, by default with `new` and no arguments. */
  constructor(options: { readonly construct?: (cls: GroupingHookClass) => { group: GroupingHook } } = {}) {
    super(GROUPING_HOOK, options.construct);
  }

  /** All hooks in the order of their names' first mention; constructs none. */
  list(): GroupingHookDescriptor[] {
    return this.entries().map(({ name, owner, value }) => ({
      name,
      summary: value.options.summary ?? '',
      owner,
    }));
  }

  /** What is wrong with the options that a config gives to a hook; some for one that takes none are. @throws RllmError UNKNOWN_NAME */
  checkOptions(name: string, { groupingOptions }: TransformConfig): readonly OptionProblem[] {
    const schema = this.entry(name).value.options.options;
    const given = (Object.hasOwn(groupingOptions, name) ? groupingOptions[name] : undefined) ?? {};
    const checked =
      schema === undefined
        ? withoutOptions(given, 'this grouping hook takes no options')
        : checkOptionsNow(schema, given);
    return checked.problems;
  }
}

function withOptions(hook: GroupingHook, schema: StandardSchema): GroupingHook {
  return (episodes, transform, options) => {
    const given = typeof options === 'object' && options !== null ? { ...options } : {};
    const { value, problems } = checkOptionsNow(schema, given);
    const [problem] = problems;
    if (problem === undefined) return hook(episodes, transform, value);
    const what = problem.at === '' ? 'its options' : `its option ${problem.at.slice(1)}`;
    throw new RllmError('GROUPING_HOOK', `A grouping hook refuses ${what}: ${problem.message}`, {
      ...(problem.cause === undefined ? {} : { cause: problem.cause }),
    });
  };
}

function isHook(value: unknown): value is { group: GroupingHook } {
  return typeof value === 'object' && value !== null && 'group' in value && typeof value.group === 'function';
}
