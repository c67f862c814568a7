import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { configFromCode } from '../../src/config/index.js';
import { createApp } from '../../src/container/index.js';
import { declarationsOf } from '../../src/declarations.js';
import { GroupingHook, GroupingHookRegistry } from '../../src/grouping/index.js';
import { definePlugin } from '../../src/plugin-host/index.js';
import type { StandardSchema } from '../../src/standard-schema.js';
import type { Episode, TrajectoryGroup } from '../../src/types/index.js';
import { transform } from './support.js';

const seen: unknown[] = [];
const schema = z.strictObject({ size: z.int().default(2) });

const asFunction = GroupingHook('as_function', { options: schema })((_episodes, _transform, options) => {
  seen.push(options);
  return [];
});

@GroupingHook('as_class', { options: schema })
class AsClass {
  group(_episodes: readonly Episode[], _transform: unknown, options?: { size: number }): TrajectoryGroup[] {
    seen.push(options);
    return [];
  }
}

const plain = GroupingHook('plain')((_episodes, _transform, options) => {
  seen.push(options);
  return [];
});

const asynchronous: StandardSchema = {
  '~standard': { version: 1, vendor: 'test', validate: async (value) => ({ value }) },
};
const later = GroupingHook('later', { options: asynchronous })(() => []);

function registry(): GroupingHookRegistry {
  const hooks = new GroupingHookRegistry();
  for (const target of [asFunction, AsClass, plain, later]) {
    for (const declaration of declarationsOf(target)) hooks.add(declaration, 'test');
  }
  return hooks;
}

describe('a grouping hook', () => {
  test.each(['as_function', 'as_class'])(
    '%s gets its own options as its schema gives them',
    (groupingHook) => {
      const hook = registry().get(groupingHook);
      seen.length = 0;
      for (const groupingOptions of [{}, { [groupingHook]: { size: 3 }, other: { size: 4 } }]) {
        transform([], { hook, transform: { groupingHook, groupingOptions } });
      }
      expect(seen).toEqual([{ size: 2 }, { size: 3 }]);
    },
  );

  test('refuses options that its schema refuses', () => {
    const options = { groupingHook: 'as_function', groupingOptions: { as_function: { size: 'big' } } };
    expect(() => transform([], { hook: registry().get('as_function'), transform: options })).toThrow(
      expect.objectContaining({ code: 'GROUPING_HOOK', message: expect.stringContaining('size') }),
    );
  });

  test('without a schema gets them as they were written, none as {}', () => {
    seen.length = 0;
    transform([], { hook: plain, transform: { groupingHook: 'plain' } });
    transform([], {
      hook: plain,
      transform: { groupingHook: 'plain', groupingOptions: { plain: { a: 1 } } },
    });
    expect(seen).toEqual([{}, { a: 1 }]);
  });
});

describe('at start', () => {
  const plugin = definePlugin({
    name: 'hooks',
    apiVersion: 1,
    groupingHooks: [asFunction, plain, later],
  });

  test.each([
    {
      what: 'a value',
      options: { as_function: { size: 'big' } },
      message: 'transform.groupingOptions.as_function.size',
    },
    { what: 'an unknown key', options: { as_function: { sise: 1 } }, message: 'sise' },
    {
      what: 'options of a hook that takes none',
      options: { task_role: { a: 1 } },
      message: 'transform.groupingOptions.task_role.a: this grouping hook takes no options',
    },
    { what: 'options of a hook that nobody brings', options: { as_fnction: {} }, message: 'Did you mean' },
    { what: 'a schema that is async', options: { later: {} }, message: 'async' },
  ])('$what is refused, used or not', async ({ options, message }) => {
    const config = configFromCode({ transform: { groupingOptions: options } });
    await expect(createApp(config, { plugins: [plugin], useDeclared: false })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining(message),
    });
  });

  test('right options pass', async () => {
    const config = {
      transform: { groupingHook: 'as_function', groupingOptions: { as_function: { size: 1 } } },
    };
    await using app = await createApp(config, { plugins: [plugin], useDeclared: false });
    expect(app.config.transform.groupingOptions).toEqual({ as_function: { size: 1 } });
  });
});
