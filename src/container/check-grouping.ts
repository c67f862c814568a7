import { formatPath, type RllmConfig } from '../config/index.js';
import type { GroupingHookRegistry } from '../grouping/index.js';
import { type SettingFault, unknownName } from './check-names.js';

/** What grouping hooks say about the options they are given, used or not. */
export function checkGrouping(
  { transform }: RllmConfig,
  hooks: GroupingHookRegistry,
): readonly SettingFault[] {
  const given = Object.keys(transform.groupingOptions);
  return [...new Set([transform.groupingHook, ...given])].flatMap((name): readonly SettingFault[] => {
    const path = formatPath(['transform', 'groupingOptions', name]);
    if (hooks.has(name)) {
      const problems = hooks.checkOptions(name, transform);
      return problems.map(({ at, message }) => ({ path: path + at, message }));
    }
    return given.includes(name) ? unknownName('grouping hook', name, path, hooks.names()) : [];
  });
}
