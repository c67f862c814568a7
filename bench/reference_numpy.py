"""A straight numpy version of the path group -> filter -> advantages -> metrics, as a Python trainer does it.

Our own, of the functions that this SDK started from: trajectories are objects, groups are found by name in a dict, an
estimator loops over groups and calls numpy on each. bench/credit.ts runs it and reads the JSON line that it prints.

    python reference_numpy.py GROUPS SIZE REPEATS
"""

import json
import sys
import time
from collections import defaultdict
from dataclasses import dataclass, field

import numpy as np


@dataclass
class Step:
    response_ids: list = field(default_factory=list)
    reward: float = 0.0
    advantage: float | None = None


@dataclass
class Trajectory:
    name: str
    steps: list
    reward: float | None = None


@dataclass
class Episode:
    task_id: str
    rollout_index: int
    trajectories: list
    is_correct: bool
    termination_reason: str = "env_done"


@dataclass
class Group:
    group_id: str
    role: str
    trajectories: list
    metadata: list


def reward_of(group, index):
    """The same whole numbers as bench/credit.ts: every eighth group is uniform."""
    return 1.0 if group % 8 == 0 else float((group * 7 + index * 5) % 4)


def make_episodes(groups, size):
    ids = [1, 2, 3, 4]
    episodes = []
    for g in range(groups):
        for i in range(size):
            reward = reward_of(g, i)
            trajectory = Trajectory("solver", [Step(ids)], reward)
            episodes.append(Episode(f"task-{g}", i, [trajectory], reward > 0))
    return episodes


def group_episodes(episodes):
    by_id = defaultdict(list)
    origins = defaultdict(list)
    before = 0
    for episode in episodes:
        for trajectory in episode.trajectories:
            before += 1
            if trajectory.reward is None:
                trajectory.reward = trajectory.steps[-1].reward
            key = f"{episode.task_id}:{trajectory.name}"
            by_id[key].append(trajectory)
            origins[key].append(
                {
                    "task_id": episode.task_id,
                    "rollout_index": episode.rollout_index,
                    "termination_reason": episode.termination_reason,
                    "is_correct": episode.is_correct,
                }
            )
    groups = [Group(key, own[0].name, own, origins[key]) for key, own in by_id.items()]
    sizes = [len(group.trajectories) for group in groups]
    return groups, {
        "grouping/num_trajs_before_filter": before,
        "grouping/num_groups": len(groups),
        "grouping/avg_group_size": np.mean(sizes),
        "grouping/max_group_size": np.max(sizes),
        "grouping/min_group_size": np.min(sizes),
    }


def reject(episodes, groups):
    kept = []
    for group in groups:
        rewards = [trajectory.reward for trajectory in group.trajectories]
        if len(rewards) >= 2 and np.std(rewards) > 0:
            kept.append(group)
    correct = defaultdict(list)
    for episode in episodes:
        correct[episode.task_id].append(episode.is_correct)
    solved = [sum(own) / len(own) for own in correct.values()]
    return kept, {
        "batch/solve_all": np.mean([share == 1 for share in solved]),
        "batch/solve_none": np.mean([share == 0 for share in solved]),
        "batch/solve_partial": np.mean([0 < share < 1 for share in solved]),
        "batch/groups_after_filter": len(kept),
    }


def grpo_per_group(rewards, epsilon=1e-6):
    if len(rewards) <= 1:
        mean, std = 0.0, 1.0
    else:
        mean, std = np.mean(rewards), np.std(rewards)
    return (rewards - mean) / (std + epsilon)


def grpo(rewards):
    return [grpo_per_group(own) for own in rewards]


def collect(groups):
    by_role = defaultdict(list)
    for group in groups:
        by_role[group.role].append(group)
    metrics = {}
    for role, own in by_role.items():
        rewards = [np.array([trajectory.reward for trajectory in group.trajectories]) for group in own]
        flat = np.concatenate(rewards)
        metrics.update({f"reward/{role}/{name}": f(flat) for name, f in STATISTICS.items()})
        means = [np.mean(r) for r in rewards]
        stds = [np.std(r) for r in rewards]
        metrics[f"batch/{role}/informative"] = int(np.sum(np.array(stds) >= 1e-8))
        for p in (10, 50, 90):
            metrics[f"batch/{role}/group_reward_mean/p{p}"] = np.percentile(means, p)
            metrics[f"batch/{role}/group_reward_std/p{p}"] = np.percentile(stds, p)
        advantages = grpo(rewards)
        for group, values in zip(own, advantages):
            for trajectory, value in zip(group.trajectories, values):
                for step in trajectory.steps:
                    step.advantage = float(value)
        flat = np.concatenate(advantages)
        metrics.update({f"advantage/{role}/{name}": f(flat) for name, f in STATISTICS.items()})
        metrics[f"advantage/{role}/fraction_zero"] = np.mean(np.abs(flat) < 1e-8)
    return metrics


STATISTICS = {"mean": np.mean, "std": np.std, "max": np.max, "min": np.min}


def best(repeats, run):
    """Seconds of the CPU and by the clock on the wall, each at its best, and what the last run gave."""
    cpu, wall = [], []
    for _ in range(repeats):
        started_cpu, started = time.process_time(), time.perf_counter()
        result = run()
        wall.append(time.perf_counter() - started)
        cpu.append(time.process_time() - started_cpu)
    return {"cpu": min(cpu), "wall": min(wall)}, result


def main():
    groups, size, repeats = (int(argument) for argument in sys.argv[1:4])
    rewards = [np.array([reward_of(g, i) for i in range(size)]) for g in range(groups)]
    kernel, _ = best(repeats, lambda: grpo(rewards))
    episodes = make_episodes(groups, size)
    grouping, (made, _) = best(repeats, lambda: group_episodes(episodes))
    rejection, (kept, _) = best(repeats, lambda: reject(episodes, made))
    collection, metrics = best(repeats, lambda: collect(kept))
    check = {key: float(metrics[key]) for key in ("reward/solver/mean", "advantage/solver/max", "advantage/solver/std")}
    print(
        json.dumps(
            {
                "numpy": np.__version__,
                "kernel": kernel,
                "group": grouping,
                "filter": rejection,
                "advantages": collection,
                "check": check,
            }
        )
    )


if __name__ == "__main__":
    main()
