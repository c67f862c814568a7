import { describe, expect, test } from 'vitest';
import { type Declaration, declarationsOf, programDeclarations } from '../../src/declarations.js';
import {
  builtInGroupingHooks,
  GroupingHook,
  GroupingHookRegistry,
  taskRoleGrouping,
} from '../../src/grouping/index.js';
import type { Episode, TrajectoryGroup } from '../../src/types/index.js';
import '../fixtures/decorators/static-methods.tc39.js';
import { episode, TRANSFORM, trajectory } from './support.js';

@GroupingHook('legacy_class', { summary: 'a class' })
class LegacyClass {
  readonly calls: number[] = [];
  group(episodes: readonly Episode[]): readonly TrajectoryGroup[] {
    this.calls.push(episodes.length);
    return taskRoleGrouping(episodes, TRANSFORM);
  }
}

// biome-ignore lint/complexity/noStaticOnlyClass: a static method is what is tested.
class LegacyMethods {
  @GroupingHook('legacy_static')
  static group(episodes: readonly Episode[]): readonly TrajectoryGroup[] {
    return taskRoleGrouping(episodes, TRANSFORM);
  }
}

const plain = GroupingHook('plain')((episodes, transform) => taskRoleGrouping(episodes, transform));

function declared(name: string): Declaration {
  const found = programDeclarations().find((one) => one.kind === 'groupingHook' && one.name === name);
  if (found === undefined) throw new Error(`nothing declared "${name}"`);
  return found;
}

function filled(): GroupingHookRegistry {
  const registry = new GroupingHookRegistry();
  for (const hook of builtInGroupingHooks) {
    for (const declaration of declarationsOf(hook)) registry.add(declaration, 'built-in');
  }
  for (const name of ['legacy_class', 'legacy_static', 'tc39_hook', 'plain'])
    registry.add(declared(name), 'program');
  return registry;
}

test.each(['task_role', 'legacy_class', 'legacy_static', 'plain'])('"%s" groups', (name) => {
  const groups = filled().get(name)([episode('t', 0, [trajectory('solver', 1)])], TRANSFORM);
  expect(groups.map(({ groupId }) => groupId)).toEqual(['t:solver']);
});

test('a hook under TC39 decorators keeps its `this`', () => {
  expect(filled().get('tc39_hook')([], TRANSFORM)).toEqual([]);
});

test('a hook is the same function at every call, and its class is constructed once', () => {
  const constructed: unknown[] = [];
  const registry = new GroupingHookRegistry({
    construct: () => {
      const hook = new LegacyClass();
      constructed.push(hook);
      return hook;
    },
  });
  registry.add(declared('legacy_class'), 'program');
  expect(registry.list()).toEqual([{ name: 'legacy_class', summary: 'a class', owner: 'program' }]);
  expect(constructed).toEqual([]);
  expect(registry.get('legacy_class')).toBe(registry.get('legacy_class'));
  expect(constructed).toHaveLength(1);
});

describe('names', () => {
  test('an unknown name is an error with a suggestion', () => {
    expect(() => filled().get('task_rol')).toThrow(
      expect.objectContaining({ code: 'UNKNOWN_NAME', message: expect.stringContaining('"task_role"') }),
    );
  });

  test('two owners of one name are both named, unless one overrides', () => {
    const registry = filled();
    const other = (): readonly TrajectoryGroup[] => [];
    expect(() => registry.addFunction('task_role', other, 'plugin x')).toThrow(
      expect.objectContaining({
        code: 'DUPLICATE_NAME',
        message: expect.stringMatching(/built-in.*plugin x/),
      }),
    );
    registry.override('task_role', other, 'plugin x');
    expect(registry.get('task_role')).toBe(other);
  });

  test('a frozen registry takes nothing more', () => {
    const registry = filled();
    registry.freeze();
    expect(() => registry.addFunction('late', plain, 'x')).toThrow(
      expect.objectContaining({ code: 'REGISTRY_FROZEN' }),
    );
  });
});

test('a class whose instances do not group is refused, and one that cannot be constructed is named', () => {
  const registry = new GroupingHookRegistry({
    construct: (cls) => {
      if (cls === LegacyClass) throw new Error('no key');
      return {} as LegacyClass;
    },
  });
  registry.override('idle', class extends LegacyClass {}, 'x');
  registry.override('broken', LegacyClass, 'x');
  expect(() => registry.get('idle')).toThrow(expect.objectContaining({ code: 'DECORATOR_MISUSED' }));
  expect(() => registry.get('broken')).toThrow(
    expect.objectContaining({ code: 'GROUPING_HOOK', message: expect.stringContaining('"broken"') }),
  );
});

test('a static method groups without its registry too', () => {
  expect(LegacyMethods.group([])).toEqual([]);
});
