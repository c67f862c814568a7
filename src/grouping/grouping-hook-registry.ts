import { type DeclaredKind, DeclaredRegistry } from '../declared-registry.js';
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
  fromFunction: (hook) => hook,
  fromInstance: (instance) =>
    isHook(instance) ? (episodes, transform) => instance.group(episodes, transform) : undefined,
};

/** The grouping hooks of one app, by name. */
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
}

function isHook(value: unknown): value is { group: GroupingHook } {
  return typeof value === 'object' && value !== null && 'group' in value && typeof value.group === 'function';
}
