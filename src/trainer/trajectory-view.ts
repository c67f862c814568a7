import { type TokenView, tokenAdvantages } from '../backend/index.js';
import type { Message, Step, Trajectory, TrajectoryGroup, TrajectoryOrigin } from '../types/index.js';
import type { TrajectoryView } from './events.js';

type Piece = TrajectoryView['pieces'][number];

/**
 * Up to `count` trajectories of a step, spread over its groups: the first of each of `count` groups at even distances, then
 * the second of each, and so on. The same groups give the same choice.
 */
export function sampleTrajectories(
  groups: readonly TrajectoryGroup[],
  count: number,
): readonly { readonly group: TrajectoryGroup; readonly index: number }[] {
  const spread = Math.min(count, groups.length);
  const longest = Math.max(0, ...groups.map((group) => group.trajectories.length));
  const chosen: { group: TrajectoryGroup; index: number }[] = [];
  for (let index = 0; index < longest; index++) {
    for (let i = 0; i < spread && chosen.length < count; i++) {
      const group = groups[Math.floor((i * groups.length) / spread)];
      if (group !== undefined && index < group.trajectories.length) chosen.push({ group, index });
    }
  }
  return chosen;
}

/** One trajectory of a group as a person reads it; undefined when the group has none at this index. */
export function trajectoryView(
  group: TrajectoryGroup,
  index: number,
  tokens: TokenView | undefined,
): TrajectoryView | undefined {
  const trajectory = group.trajectories[index];
  const origin: TrajectoryOrigin | undefined = group.metadata[index];
  if (trajectory === undefined || origin === undefined) return undefined;
  return {
    taskId: origin.taskId,
    rolloutIndex: origin.rolloutIndex,
    role: group.role,
    reward: trajectory.reward ?? null,
    isCorrect: origin.isCorrect,
    terminationReason: origin.terminationReason ?? 'unknown',
    pieces:
      tokens === undefined
        ? piecesOfMessages(trajectory)
        : piecesOfTokens(trajectory, (id) => tokens.decode(id)),
  };
}

/** Steps whose prompt goes on from all tokens before are joined: only what is new of it is shown, as an observation. */
function piecesOfTokens(trajectory: Trajectory, decode: (id: number) => string): readonly Piece[] {
  let context: readonly number[] = [];
  return trajectory.steps.flatMap((step) => {
    const goesOn = context.length > 0 && startsWith(step.promptIds, context);
    const shown = goesOn ? step.promptIds.slice(context.length) : step.promptIds;
    context = [...step.promptIds, ...step.responseIds];
    const given = masked(goesOn ? 'observation' : 'prompt', shown.map(decode).join(''));
    return [...given, ...responsePieces(step, decode)];
  });
}

/** A step's response, split where the advantage changes from token to token. */
function responsePieces(step: Step, decode: (id: number) => string): readonly Piece[] {
  const advantages = step.advantage === undefined ? undefined : tokenAdvantages(step);
  const pieces: Piece[] = [];
  step.responseIds.forEach((id, position) => {
    const advantage = advantages?.[position] ?? null;
    const last = pieces.at(-1);
    if (last !== undefined && Object.is(last.advantage, advantage)) {
      pieces[pieces.length - 1] = { ...last, text: last.text + decode(id) };
    } else {
      pieces.push({ kind: 'response', text: decode(id), advantage });
    }
  });
  return pieces.length > 0 ? pieces : [{ kind: 'response', text: step.modelResponse, advantage: null }];
}

/** For a backend without tokens: the same from the text of the conversation. */
function piecesOfMessages(trajectory: Trajectory): readonly Piece[] {
  let context: readonly Message[] = [];
  return trajectory.steps.flatMap((step) => {
    const prompt = step.chatCompletions.slice(0, -1);
    const goesOn =
      context.length > 0 && context.every((message, i) => prompt[i]?.content === message.content);
    const shown = goesOn ? prompt.slice(context.length) : prompt;
    context = step.chatCompletions;
    const text = shown.map(({ role, content }) => `${role}: ${content}`).join('\n');
    const advantage = typeof step.advantage === 'number' ? step.advantage : null;
    return [
      ...masked(goesOn ? 'observation' : 'prompt', text),
      { kind: 'response' as const, text: step.modelResponse, advantage },
    ];
  });
}

function masked(kind: 'prompt' | 'observation', text: string): readonly Piece[] {
  return text === '' ? [] : [{ kind, text, advantage: null }];
}

function startsWith(ids: readonly number[], prefix: readonly number[]): boolean {
  return ids.length >= prefix.length && prefix.every((id, i) => ids[i] === id);
}
