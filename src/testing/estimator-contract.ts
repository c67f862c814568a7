import {
  type AdvantageEstimator,
  collectRewardsAndAdvantages,
  type EstimateFunction,
  type EstimatorClass,
  EstimatorRegistry,
} from '../advantage/index.js';
import { type AlgorithmConfig, DEFAULT_CONFIG } from '../config/index.js';
import { declarationsOf } from '../declarations.js';
import { RllmError } from '../errors.js';
import { stream } from '../random.js';
import type { TrajectoryGroup } from '../types/index.js';
import type { ContractCheck } from './contract-check.js';
import { type ContractGroup, contractGroups, frozen } from './contract-groups.js';
import {
  expectClose,
  expectEqual,
  expectFinite,
  expectThat,
  permuted,
  type RaggedAdvantages,
  readAdvantages,
} from './contract-values.js';

export interface EstimatorContractOptions {
  /** `algorithm.estimatorOptions` of the estimator; its defaults without. */
  readonly options?: Readonly<Record<string, unknown>>;
  /**
   * What a group of equal rewards gets: exactly 0, or `free` where the formula says otherwise (no baseline, a baseline from
   * elsewhere, statistics over the batch). Default `zero`.
   */
  readonly uniform?: 'zero' | 'free';
  /** What it does depends on the order of trajectories. By default true for one that keeps a state. */
  readonly ordered?: boolean;
  /** Makes an instance of a class; by default with `new` and no arguments. */
  readonly construct?: (cls: EstimatorClass) => AdvantageEstimator;
  /** Writes what the estimator reads and the sketch has not, on each group before it is used. */
  readonly prepare?: (group: TrajectoryGroup) => void;
}

/**
 * What every advantage estimator must do, as checks for any test runner:
 *
 * ```ts
 * for (const { name, run } of estimatorContract(MyEstimator)) test(name, run);
 * ```
 *
 * Trajectories have everything that an estimator may require: log-probs, reference and teacher log-probs, values, named rewards,
 * observations that several steps share, a greedy baseline, one to three steps. Each check uses an instance of its own.
 *
 * @param declared  a class or function on which `AdvEstimator` stands.
 * @throws RllmError DECORATOR_MISUSED when it does not stand there.
 */
export function estimatorContract(
  declared: EstimateFunction | EstimatorClass,
  options: EstimatorContractOptions = {},
): readonly ContractCheck<void>[] {
  const subject = new Subject(declared, options);
  const { uniform = 'zero' } = options;
  const { estimator, descriptor } = subject.fresh();
  const isStateful = estimator.stateDict !== undefined;
  const isOrdered = options.ordered ?? isStateful;
  const checks: ContractCheck<void>[] = [];
  const add = (name: string, run: () => void): void => void checks.push({ name, run });

  add('accepts no options at all', () => subject.acceptsNoOptions());
  add('an empty batch gets no advantages', () => {
    expectThat(subject.estimate([]).length === 0, 'an empty batch got advantages');
  });
  for (const [name, sizes] of SHAPES) {
    add(`${name}: a finite advantage for each`, () => {
      const advantages = subject.estimate(contractGroups(varied(sizes), options.prepare));
      expectFinite(advantages);
    });
  }
  add('equal rewards: finite, and never −0', () => subject.ofUniform(uniform));
  add('small differences on top of a million count as they do by themselves', () => {
    const million = varied([4, 2, 7]).map((own) => own.map((r) => 1e6 + r / 1000));
    // Exact, so that both differ in their offset alone.
    const small = million.map((own) => own.map((r) => r - 1e6));
    const of = (rewards: readonly (readonly number[])[]): RaggedAdvantages =>
      subject.estimate(contractGroups(rewards, options.prepare));
    expectFinite(of(million));
    const minds = !isClose(of(small.map((own) => own.map((r) => r + 1))), of(small), 1e-6);
    if (!minds) expectClose(of(million), of(small), 1e-4, 'on top of a million');
  });
  for (const scale of [1e-12, 1e-300, 1e6]) {
    add(`rewards times ${scale} stay finite`, () => {
      const rewards = varied([4, 2, 1]).map((own) => own.map((r) => r * scale));
      expectFinite(subject.estimate(contractGroups(rewards, options.prepare)));
    });
  }
  add('what it is given is left as it is', () => subject.leavesInputAlone());
  add('the same input gives the same advantages, bit for bit', () => {
    const once = (): RaggedAdvantages => subject.estimate(contractGroups(varied([4, 3, 1]), options.prepare));
    expectEqual(once(), once(), 'a second time');
  });
  add('NaN, infinite and missing rewards are errors or left out, by policy, and spoil nobody', () =>
    subject.withoutRewards(),
  );
  if (!isOrdered) {
    add('trajectories in another order get their advantages in that order', () =>
      subject.permutes('trajectories'),
    );
    add('groups in another order get their advantages in that order', () => subject.permutes('groups'));
  }
  if (descriptor.scope === 'group' && !isStateful) {
    add('groups do not influence each other', () => {
      const groups = contractGroups(varied([4, 3, 1, 2]), options.prepare);
      const apart = groups.flatMap((group) => subject.estimate([group]));
      expectClose(apart, subject.estimate(groups), 1e-9, 'each group by itself');
    });
  }
  if (isStateful) {
    add('a state saved as JSON and loaded goes on as if nothing had happened', () => subject.resumes());
  }
  return checks;
}

const SHAPES: readonly (readonly [string, readonly number[]])[] = [
  ['one group', [4]],
  ['one trajectory', [1]],
  ['two trajectories', [2]],
  ['groups of unequal size', [3, 1, 8, 2, 5]],
];

/** Rewards of groups, all multiples of 1/8, from 0 to 8. */
function varied(sizes: readonly number[]): number[][] {
  const random = stream(11, 'estimator contract', ...sizes);
  return sizes.map((size) => Array.from({ length: size }, (_, i) => i / 8 + random.int(8)));
}

function isClose(a: RaggedAdvantages, b: RaggedAdvantages, tolerance: number): boolean {
  try {
    expectClose(a, b, tolerance, '');
    return true;
  } catch {
    return false;
  }
}

/** An estimator under test, made anew for each check. */
class Subject {
  readonly #declared: EstimateFunction | EstimatorClass;
  readonly #options: EstimatorContractOptions;
  readonly #name: string;

  constructor(declared: EstimateFunction | EstimatorClass, options: EstimatorContractOptions) {
    const [declaration] = declarationsOf(declared).filter(({ kind }) => kind === 'estimator');
    if (declaration === undefined) {
      throw new RllmError('DECORATOR_MISUSED', 'estimatorContract takes what AdvEstimator(name) stands on.');
    }
    this.#declared = declared;
    this.#options = options;
    this.#name = declaration.name;
  }

  fresh() {
    const { construct } = this.#options;
    const registry = new EstimatorRegistry(construct === undefined ? {} : { construct });
    for (const declaration of declarationsOf(this.#declared)) registry.add(declaration, 'test');
    return { registry, estimator: registry.get(this.#name), descriptor: registry.describe(this.#name) };
  }

  algorithm(overrides: Partial<AlgorithmConfig> = {}): AlgorithmConfig {
    const { options } = this.#options;
    const estimatorOptions = options === undefined ? {} : { [this.#name]: options };
    return { ...DEFAULT_CONFIG.algorithm, estimator: this.#name, estimatorOptions, ...overrides };
  }

  /** Calls a fresh instance, or the one given. */
  estimate(groups: readonly ContractGroup[], by = this.fresh()): RaggedAdvantages {
    const algorithm = this.algorithm();
    const rewards = groups.map(({ trajectories }) => Float64Array.from(trajectories, ({ reward }) => reward));
    const options = by.registry.optionsOf(this.#name, algorithm);
    const output = by.estimator.estimate({ role: 'solver', rewards, groups, algorithm, options });
    return readAdvantages(output, groups);
  }

  acceptsNoOptions(): void {
    this.fresh().registry.optionsOf(this.#name, { ...this.algorithm(), estimatorOptions: {} });
  }

  ofUniform(uniform: 'zero' | 'free'): void {
    for (const reward of [0, 1, -1, 0.1, 1 / 3, 1e6 + 0.1]) {
      const groups = contractGroups([[reward, reward, reward]], this.#options.prepare, 'alike');
      const advantages = this.estimate(groups);
      expectFinite(advantages);
      for (const value of advantages.flat(2)) {
        expectThat(!Object.is(value, -0), `rewards of ${reward} got −0`);
        expectThat(uniform === 'free' || value === 0, `equal rewards of ${reward} got ${value}`);
      }
    }
  }

  leavesInputAlone(): void {
    const groups = contractGroups(varied([3, 1, 4]), this.#options.prepare);
    const before = JSON.stringify(groups);
    const algorithm = this.algorithm();
    const { estimator, registry } = this.fresh();
    const rewards = groups.map(({ trajectories }) => Float64Array.from(trajectories, ({ reward }) => reward));
    const copies = rewards.map((own) => own.slice());
    const options = registry.optionsOf(this.#name, algorithm);
    estimator.estimate({ role: 'solver', rewards, groups: frozen(groups), algorithm, options });
    expectThat(JSON.stringify(groups) === before, 'the groups were changed');
    const isSame = rewards.every((own, g) => own.every((reward, i) => reward === copies[g]?.[i]));
    expectThat(isSame, 'batch.rewards was changed; work on a copy');
  }

  withoutRewards(): void {
    for (const reward of [Number.NaN, Number.POSITIVE_INFINITY, undefined]) {
      const make = (): readonly ContractGroup[] => {
        const groups = contractGroups(varied([3, 4]), this.#options.prepare);
        const spoilt = groups[0]?.trajectories[1];
        if (spoilt !== undefined) Object.assign(spoilt, { reward });
        return groups;
      };
      const collect = (missingReward: 'error' | 'exclude', groups: readonly ContractGroup[]): void => {
        const { registry } = this.fresh();
        collectRewardsAndAdvantages(groups, this.algorithm({ missingReward }), { registry });
      };
      let code: string | undefined;
      try {
        collect('error', make());
      } catch (thrown) {
        code = RllmError.isInstance(thrown) ? thrown.code : undefined;
      }
      expectThat(
        code === 'REWARD_MISSING' || code === 'REWARD_NOT_FINITE',
        `a reward of ${reward} was no error`,
      );
      const groups = make();
      collect('exclude', groups);
      groups.forEach(({ trajectories }, g) => {
        trajectories.forEach(({ steps }, i) => {
          const isOut = g === 0 && i === 1;
          for (const { advantage } of steps) {
            const isSound = [advantage].flat().every(Number.isFinite);
            expectThat(
              isOut ? advantage === undefined : isSound,
              `beside a reward of ${reward}, ${g}/${i} got ${advantage}`,
            );
          }
        });
      });
    }
  }

  permutes(what: 'trajectories' | 'groups'): void {
    const groups = contractGroups(varied([4, 3, 1, 5]), this.#options.prepare);
    const plain = this.estimate(groups);
    const random = stream(5, 'permutation', what);
    if (what === 'groups') {
      const order = permuted(groups.length, random);
      const moved = this.estimate(order.map((g) => groups[g] as ContractGroup));
      expectClose(
        moved,
        order.map((g) => plain[g] ?? []),
        1e-9,
        'with groups in another order',
      );
      return;
    }
    const orders = groups.map(({ trajectories }) => permuted(trajectories.length, random));
    const moved = groups.map((group, g) => ({
      ...group,
      trajectories: (orders[g] ?? []).flatMap((i) => group.trajectories[i] ?? []),
      metadata: (orders[g] ?? []).flatMap((i) => group.metadata[i] ?? []),
    }));
    const expected = orders.map((order, g) => order.map((i) => plain[g]?.[i] ?? []));
    expectClose(this.estimate(moved), expected, 1e-9, 'with trajectories in another order');
  }

  resumes(): void {
    const before = contractGroups(varied([3, 4]), this.#options.prepare);
    const after = contractGroups(varied([2, 5]), this.#options.prepare);
    const whole = this.fresh();
    this.estimate(before, whole);
    const state = JSON.parse(JSON.stringify(whole.registry.stateDict()));
    const resumed = this.fresh();
    resumed.registry.loadStateDict(state);
    expectEqual(this.estimate(after, resumed), this.estimate(after, whole), 'after a resume');
  }
}
