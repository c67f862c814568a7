import type { Trajectory } from 'rllm-sdk';

/** What the model said last, without its reasoning; empty for a trajectory in which it said nothing. */
export function lastReply({ steps }: Pick<Trajectory, 'steps'>): string {
  const last = steps.at(-1);
  if (last === undefined) return '';
  const message = last.chatCompletions.at(-1);
  return message?.role === 'assistant' ? message.content : last.modelResponse;
}
