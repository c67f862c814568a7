import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { ModelCall } from '../../src/rollout/index.js';
import { episodeOf, groupOf, InMemoryBackend } from '../../src/testing/index.js';
import { learner, tiny } from './tiny-run.js';

const call: ModelCall = {
  messages: [{ role: 'user', content: 'guess a number' }],
  sampling: { temperature: 1, topP: 1, maxTokens: 8 },
  identity: { mode: 'train', step: 1, taskId: 'a', rolloutIndex: 0, attempt: 1, call: 0 },
};

describe('the in-memory backend', () => {
  test('gives equal replies to equal calls, whatever came between', async () => {
    const backend = new InMemoryBackend({ policy: ({ random }) => String(random.next()) });
    const first = await backend.rolloutEngine.getModelResponse(call);
    await backend.rolloutEngine.getModelResponse({
      ...call,
      identity: { ...call.identity, rolloutIndex: 1 },
    });
    expect(await backend.rolloutEngine.getModelResponse(call)).toEqual(first);
  });

  test('has a token per word, and reads them back', async () => {
    const backend = new InMemoryBackend({ policy: () => 'fifty fifty' });
    const { promptIds, completionIds, logprobs } = await backend.rolloutEngine.getModelResponse(call);
    const read = (ids: readonly number[]): string => ids.map((id) => backend.tokens.decode(id)).join('');
    expect(read(promptIds)).toBe('<user> guess a number <end> <assistant> ');
    expect(read(completionIds)).toBe('fifty fifty <end> ');
    expect(logprobs).toHaveLength(3);
  });

  test('makes the prompt of a later turn go on from all tokens before', async () => {
    const backend = new InMemoryBackend({ policy: () => 'fifty' });
    const first = await backend.rolloutEngine.getModelResponse(call);
    const second = await backend.rolloutEngine.getModelResponse({
      ...call,
      messages: [
        ...call.messages,
        { role: 'assistant', content: 'fifty' },
        { role: 'user', content: 'higher' },
      ],
    });
    const before = [...first.promptIds, ...first.completionIds];
    expect(second.promptIds.slice(0, before.length)).toEqual(before);
  });

  test('cuts a reply at maxTokens and says so', async () => {
    const backend = new InMemoryBackend({ policy: () => 'one two three' });
    const sampling = { ...call.sampling, maxTokens: 2 };
    const output = await backend.rolloutEngine.getModelResponse({ ...call, sampling });
    expect(output.completionIds).toHaveLength(2);
    expect(output.finishReason).toBe('length');
  });

  test('goes on from its checkpoint', async () => {
    const { trainer, backend } = tiny({ policy: learner });
    await trainer.fit();
    const directory = await mkdtemp(join(tmpdir(), 'rllm-backend-'));
    await backend.saveCheckpoint(directory);
    const other = new InMemoryBackend({ policy: learner });
    await other.loadCheckpoint(directory);
    expect(other.weightVersion).toBe(backend.weightVersion);
    expect(other.preference('yes')).toBe(backend.preference('yes'));
    await rm(directory, { recursive: true });
    await expect(other.loadCheckpoint(directory)).rejects.toMatchObject({ code: 'CHECKPOINT_INVALID' });
  });
});

describe('builders', () => {
  test('make an episode from rewards by role', () => {
    const episode = episodeOf({ taskId: 'a', rewards: { solver: [1, 0], judge: null } });
    expect(episode.isCorrect).toBe(true);
    expect(episode.trajectories.map(({ name, reward }) => [name, reward])).toEqual([
      ['solver', 1],
      ['solver', 0],
      ['judge', undefined],
    ]);
    expect(JSON.parse(JSON.stringify(episode))).toEqual({ ...episode });
  });

  test('make a group from rewards', () => {
    const group = groupOf([1, null], { role: 'judge', steps: 2 });
    expect(group).toMatchObject({ role: 'judge', groupId: 'task:judge' });
    expect(group.trajectories.map(({ reward, steps }) => [reward, steps.length])).toEqual([
      [1, 2],
      [undefined, 2],
    ]);
  });
});
