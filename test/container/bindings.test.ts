import { describe, expect, test } from 'vitest';
import { type AdvantageBatch, type AdvantageEstimates, AdvEstimator } from '../../src/advantage/index.js';
import { CLOCK, CONFIG, createApp, inject } from '../../src/container/index.js';
import { GroupingHook } from '../../src/grouping/index.js';
import { definePlugin, type PluginContext, type PluginToken } from '../../src/plugin-host/index.js';
import { RewardFunction } from '../../src/reward/index.js';
import type { Clock } from '../../src/workflow/index.js';
import { withoutNoOp } from '../no-op/without-no-op.js';
import { errorOf, inMemory, memoryPlugin, TRAINS } from './app-kit.js';

interface Table {
  readonly rows: number;
}
const TABLE: PluginToken<Table> = Symbol.for('tables/Table');

const binding = (name: string, setup: (context: PluginContext) => void): ReturnType<typeof definePlugin> =>
  definePlugin({ name, apiVersion: 1, version: '1.0.0', setup });

@AdvEstimator('by_table')
class ByTable {
  readonly #table: Table;
  constructor(@inject(TABLE) table: Table) {
    this.#table = table;
  }
  estimate({ rewards }: AdvantageBatch): AdvantageEstimates {
    return { advantages: rewards.map((own) => own.map(() => this.#table.rows)) };
  }
}

class TableHook {
  static readonly inject = [TABLE] as const;
  readonly #table: Table;
  constructor(table: Table) {
    this.#table = table;
  }
  group(): [] {
    expect(this.#table.rows).toBe(3);
    return [];
  }
}
GroupingHook('table_hook')(TableHook);

class TableReward {
  static readonly inject = [TABLE] as const;
  readonly #table: Table;
  constructor(table: Table) {
    this.#table = table;
  }
  score(): number {
    return this.#table.rows;
  }
}
RewardFunction('table_reward')(TableReward);

describe('bind', () => {
  test('gives a part to estimators, grouping hooks and reward functions of that and another plugin, made once', async () => {
    let made = 0;
    const tables = binding('tables', (context) => {
      context.bind(TABLE, { make: () => ({ rows: ++made + 2 }) });
      context.addEstimator(ByTable);
    });
    const users = binding('users', (context) => {
      context.addGroupingHook(TableHook as never);
      context.addReward(TableReward);
    });
    await using app = await createApp(TRAINS, inMemory({ plugins: [memoryPlugin(), tables, users] }));
    expect(made).toBe(0);
    const [group] = [{ groupId: 'g', role: 'r', taskId: 't', trajectories: [] }];
    const batch = { role: 'r', rewards: [new Float64Array(2)], groups: [group], options: {} };
    expect(app.estimators.get('by_table').estimate(batch as never)).toEqual({
      advantages: [Float64Array.of(3, 3)],
    });
    app.groupingHooks.get('table_hook')([], app.config.transform);
    expect(app.rewards.get('table_reward').score({} as never)).toBe(3);
    expect([app.resolve(TABLE).rows, made]).toEqual([3, 1]);
    expect(withoutNoOp(app.plugins).map(({ brings }) => brings.bindings)).toEqual([[], ['tables/Table'], []]);
  });

  test('a token bound twice is refused with both owners, unless the second overrides', async () => {
    const first = binding('first', (context) => context.bind(TABLE, { value: { rows: 1 } }));
    const second = binding('second', (context) => context.bind(TABLE, { value: { rows: 2 } }));
    const error = await errorOf(createApp(TRAINS, inMemory({ plugins: [memoryPlugin(), first, second] })));
    expect(error.code).toBe('PLUGIN_INVALID');
    expect(error.message).toContain('tables/Table: first@1.0.0 and second@1.0.0');
    const third = binding('third', (context) =>
      context.bind(TABLE, { value: { rows: 3 } }, { override: true }),
    );
    await using app = await createApp(TRAINS, inMemory({ plugins: [memoryPlugin(), first, third] }));
    expect(app.resolve(TABLE)).toEqual({ rows: 3 });
    expect(withoutNoOp(app.plugins).map(({ overrides }) => overrides.bindings)).toEqual([
      [],
      [],
      ['tables/Table'],
    ]);
  });

  test('a part of the SDK is replaced only by an override, which is recorded', async () => {
    const clock: Clock = { after: () => () => undefined };
    const bare = binding('bare', (context) => context.bind(CLOCK as PluginToken<Clock>, { value: clock }));
    const error = await errorOf(createApp(TRAINS, inMemory({ plugins: [memoryPlugin(), bare] })));
    expect(error.message).toContain('rllm/Clock: built-in and bare@1.0.0');
    const plugin = binding('clock', (context) =>
      context.bind(CLOCK as PluginToken<Clock>, { value: clock }, { override: true }),
    );
    await using app = await createApp(TRAINS, inMemory({ plugins: [memoryPlugin(), plugin] }));
    expect(app.resolve(CLOCK)).toBe(clock);
    expect(app.plugins[1]?.overrides.bindings).toEqual(['rllm/Clock']);
  });

  test.each<{ what: string; bind: (context: PluginContext) => void; says: string }>([
    {
      what: 'a part that the app uses already',
      bind: (context) => context.bind(CONFIG as never, { value: {} as never }, { override: true }),
      says: 'comes too late',
    },
    { what: 'a text', bind: (context) => context.bind('x' as never, { value: 1 }), says: 'Symbol.for' },
    {
      what: 'neither value nor make',
      bind: (context) => context.bind(TABLE, {} as never),
      says: '{ value }',
    },
  ])('$what cannot be bound', async ({ bind, says }) => {
    const plugins = [memoryPlugin(), binding('p', bind)];
    const error = await errorOf(createApp(TRAINS, inMemory({ plugins })));
    expect(error).toMatchObject({ code: 'PLUGIN_INVALID', message: expect.stringContaining(says) });
  });

  test('what cannot be made is told with the plugin that bound it', async () => {
    const plugin = binding('tables', (context) => {
      context.bind(TABLE, {
        make: () => {
          throw new Error('no table');
        },
      });
      context.addEstimator(ByTable);
    });
    const config = { ...TRAINS, algorithm: { estimator: 'by_table' } };
    const error = await errorOf(createApp(config, inMemory({ plugins: [memoryPlugin(), plugin] })));
    expect(error.message).toContain('tables/Table, bound by tables@1.0.0, cannot be made: no table');
  });

  test('two apps at once each have their own parts, names and owners', async () => {
    const app = (rows: number, name: string) => {
      const tables = binding(name, (context) => {
        context.bind(TABLE, { make: () => ({ rows }) });
        context.addReward(TableReward);
      });
      return createApp(TRAINS, inMemory({ plugins: [memoryPlugin(), tables] }));
    };
    const [one, two] = await Promise.all([app(1, 'one'), app(2, 'two')]);
    expect([one, two].map((own) => own.rewards.get('table_reward').score({} as never))).toEqual([1, 2]);
    expect([one, two].map((own) => own.rewards.entry('table_reward').owner)).toEqual([
      'one@1.0.0',
      'two@1.0.0',
    ]);
    await Promise.all([one.dispose(), two.dispose()]);
  });
});
