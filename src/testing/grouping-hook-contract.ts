import { DEFAULT_CONFIG } from '../config/index.js';
import { declarationsOf } from '../declarations.js';
import { RllmError } from '../errors.js';
import { countTrajectories } from '../filtering/index.js';
import {
  type GroupingHook,
  type GroupingHookClass,
  GroupingHookRegistry,
  transformEpisodesToTrajectoryGroups,
} from '../grouping/index.js';
import { stream } from '../random.js';
import { type Episode, type TrajectoryGroup, wholeOf } from '../types/index.js';
import { episodeOf } from './build-data.js';
import type { ContractCheck } from './contract-check.js';
import { frozen } from './contract-groups.js';
import { expectThat, permuted } from './contract-values.js';

export interface GroupingHookContractOptions {
  /** `transform.groupingOptions` of the hook; its defaults without. */
  readonly options?: Readonly<Record<string, unknown>>;
  /** Writes what the hook reads and the sketch has not, on each episode before it is used. `task` is 0, 1, 2, … */
  readonly prepare?: (episode: Episode, task: number) => void;
  /** Makes an instance of a class; by default with `new` and no arguments. */
  readonly construct?: (cls: GroupingHookClass) => { group: GroupingHook };
}

/**
 * What every grouping hook must do, as checks for any test runner:
 *
 * ```ts
 * for (const { name, run } of groupingHookContract(byLevel)) test(name, run);
 * ```
 *
 * Episodes are rollouts of several tasks with a `judge` and two `solver`s, each of two steps with an `observation`; a task is
 * `{ id, level }`.
 *
 * @param declared  a class or function on which `GroupingHook` stands.
 * @throws RllmError DECORATOR_MISUSED when it does not stand there.
 */
export function groupingHookContract(
  declared: GroupingHook | GroupingHookClass,
  options: GroupingHookContractOptions = {},
): readonly ContractCheck<void>[] {
  const subject = new Subject(declared, options);
  return [
    { name: 'takes its options, and refuses one that it does not know', run: () => subject.checksOptions() },
    {
      name: 'no episodes make no groups',
      run: () => expectThat(subject.group([]).length === 0, 'no episodes got groups'),
    },
    {
      name: 'every trajectory stands in one group, or is counted as left out',
      run: () => subject.placesAll(),
    },
    { name: 'what it is given is left as it is', run: () => subject.leavesInputAlone() },
    {
      name: 'the same episodes give the same groups',
      run: () =>
        expectPartition(
          subject.group(subject.episodes()),
          subject.group(subject.episodes()),
          'a second time',
        ),
    },
    { name: 'episodes in another order give the same groups', run: () => subject.permutes() },
    { name: 'how a task id is spelt changes nothing', run: () => subject.ignoresSpelling() },
    {
      name: 'rollouts without trajectories make no difference',
      run: () => {
        const episodes = subject.episodes();
        const silent = episodeOf({ taskId: 'silent', rewards: {} });
        expectPartition(
          subject.group([...episodes, silent]),
          subject.group(episodes),
          'with one that said nothing',
        );
      },
    },
  ];
}

const PLAIN_IDS: readonly string[] = Array.from({ length: 12 }, (_, i) => `task-${i}`);

/** Ids that fall together when they are joined, parsed, trimmed, normalised, or used as keys of an object. */
const ODD_IDS: readonly string[] = [
  'a',
  'a:b',
  'a:b:c',
  'a/b',
  'A',
  ' a',
  '1',
  '01',
  '__proto__',
  'constructor',
  'é',
  'e\u0301',
];

/** A hook under test, in a registry of its own. */
class Subject {
  readonly #registry: GroupingHookRegistry;
  readonly #name: string;
  readonly #options: GroupingHookContractOptions;

  constructor(declared: GroupingHook | GroupingHookClass, options: GroupingHookContractOptions) {
    const [declaration] = declarationsOf(declared).filter(({ kind }) => kind === 'groupingHook');
    if (declaration === undefined) {
      throw new RllmError(
        'DECORATOR_MISUSED',
        'groupingHookContract takes what GroupingHook(name) stands on.',
      );
    }
    const { construct } = options;
    this.#registry = new GroupingHookRegistry(construct === undefined ? {} : { construct });
    this.#registry.add(declaration, 'test');
    this.#name = declaration.name;
    this.#options = options;
  }

  /** Two rollouts of each task, one task after the other. `uid`s know nothing of the task's id. */
  episodes(ids: readonly string[] = PLAIN_IDS): Episode[] {
    return ids.flatMap((taskId, task) =>
      [0, 1].map((rolloutIndex) => {
        const sketch = episodeOf({ taskId, rolloutIndex, rewards: { solver: [1, 0], judge: 0.5 }, steps: 2 });
        const episode: Episode = {
          ...sketch,
          task: { id: taskId, level: task % 3 },
          trajectories: sketch.trajectories.map((trajectory, k) => ({
            ...trajectory,
            uid: `${task}.${rolloutIndex}.${k}`,
            steps: trajectory.steps.map((step, s) => ({ ...step, observation: { room: s } })),
          })),
        };
        this.#options.prepare?.(episode, task);
        return episode;
      }),
    );
  }

  group(episodes: readonly Episode[]): readonly TrajectoryGroup[] {
    const transform = this.#transform();
    return this.#registry.get(this.#name)(episodes, transform, transform.groupingOptions[this.#name]);
  }

  checksOptions(): void {
    const [problem] = this.#registry.checkOptions(this.#name, this.#transform());
    expectThat(problem === undefined, `it refuses ${problem?.at}: ${problem?.message}`);
    const problems = this.#registry.checkOptions(this.#name, this.#transform({ 'no such option': 1 }));
    expectThat(problems.length > 0, 'an option that it does not know passed; use a strict schema');
  }

  placesAll(): void {
    const episodes = this.episodes();
    const { groups, dropped } = transformEpisodesToTrajectoryGroups(episodes, {
      transform: this.#transform(),
      compactFiltering: DEFAULT_CONFIG.compactFiltering,
      groupingHook: this.#registry.get(this.#name),
    });
    const grouped = new Set(groups.flatMap(({ trajectories }) => trajectories.map(wholeOf)));
    const total = episodes.reduce((sum, { trajectories }) => sum + trajectories.length, 0);
    const leftOut = countTrajectories(dropped);
    expectThat(
      grouped.size + leftOut === total,
      `of ${total} trajectories ${grouped.size} are in groups and ${leftOut} left out`,
    );
    expectThat(
      grouped.size > 0,
      'it left out every trajectory; give it what it reads, by options or prepare',
    );
  }

  leavesInputAlone(): void {
    const episodes = this.episodes();
    const before = JSON.stringify(episodes);
    this.group(frozen(episodes));
    expectThat(JSON.stringify(episodes) === before, 'the episodes were changed');
  }

  permutes(): void {
    const episodes = this.episodes();
    const order = permuted(episodes.length, stream(5, 'permutation', 'episodes'));
    const moved = order.flatMap((i) => episodes[i] ?? []);
    expectPartition(this.group(moved), this.group(episodes), 'in another order');
  }

  ignoresSpelling(): void {
    const odd = this.group(this.episodes(ODD_IDS));
    expectPartition(odd, this.group(this.episodes()), `with the task ids ${JSON.stringify(ODD_IDS)}`);
  }

  #transform(more: Readonly<Record<string, unknown>> = {}): typeof DEFAULT_CONFIG.transform {
    return {
      ...DEFAULT_CONFIG.transform,
      groupingHook: this.#name,
      groupingOptions: { [this.#name]: { ...this.#options.options, ...more } },
    };
  }
}

/** @throws Error unless both have the same groups, whatever their order and that of their trajectories. */
function expectPartition(
  got: readonly TrajectoryGroup[],
  expected: readonly TrajectoryGroup[],
  when: string,
): void {
  const [mine, other] = [got, expected].map(partition);
  const odd =
    mine?.find((group) => other?.includes(group) !== true) ?? other?.find((group) => !mine?.includes(group));
  expectThat(
    odd === undefined && mine?.length === other?.length,
    `${when}: ${mine?.length} groups instead of ${other?.length}; one that only one of both has: ${odd}`,
  );
}

/** Each group as its role and the `uid`s of its trajectories. */
function partition(groups: readonly TrajectoryGroup[]): readonly string[] {
  return groups.map(({ role, trajectories }) =>
    JSON.stringify([role, ...trajectories.map(({ uid }) => uid).sort()]),
  );
}
