import { type Attribution, attributed } from '../attribute.js';
import type { GroupingHook } from './grouping-hook.js';

const PART = Symbol('part');

/** A hook that knows whose it is, so that what it throws, and what is wrong with what it returns, names it. */
export function ownedHook(hook: GroupingHook, part: Attribution): GroupingHook {
  const owned: GroupingHook = (episodes, transform, options) => {
    try {
      return hook(episodes, transform, options);
    } catch (thrown) {
      throw attributed(thrown, part, 'threw', 'GROUPING_HOOK');
    }
  };
  return Object.assign(owned, { [PART]: part });
}

/** Whose a hook is: `grouping hook` and nobody, unless `ownedHook` made it. */
export function partOf(hook: GroupingHook): Attribution {
  return (hook as GroupingHook & { readonly [PART]?: Attribution })[PART] ?? { what: 'grouping hook' };
}
