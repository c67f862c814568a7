import type { RllmConfigInput } from '../../src/config/index.js';

/** A model of a few hundred weights on the local backend, two roles per task, three steps, and a checkpoint of the last. */
export const TWO_PLAYERS: RllmConfigInput = {
  backend: {
    name: 'local',
    options: {
      local: {
        vocabulary: { words: ['<bos>', 'yes', 'no', 'left', 'right'], bos: '<bos>' },
        model: { dModel: 8, nLayers: 1, nHeads: 2, contextLength: 8 },
        workers: 1,
      },
    },
  },
  workflow: { use: 'two-players' },
  data: { train: 'tasks.jsonl', trainBatchSize: 2 },
  rollout: { n: 8, train: { maxTokens: 1 } },
  algorithm: { learningRate: 0.05 },
  trainer: { totalBatches: 3, saveFreq: 3, testFreq: 0, valBeforeTrain: false, seed: 5 },
};

/** The workflow as a user's file, and its tasks. Rewards differ between replies, so that estimators have something to tell apart. */
export const TWO_PLAYERS_FILES = {
  'two-players.ts': `
    import { defineWorkflow } from 'rllm-sdk';
    const REWARDS = { yes: 1, no: 0.25, left: -0.5, right: 0 };
    export const twoPlayers = defineWorkflow('two-players', async (task, context) => {
      for (const role of ['asker', 'guesser']) {
        const agent = context.agent(role);
        const { text } = await agent.respond(String(task.question));
        agent.reward(REWARDS[text] ?? 0);
      }
    });
  `,
  'tasks.jsonl': ['yes', 'no', 'left', 'right']
    .map((question) => `${JSON.stringify({ id: question, question })}\n`)
    .join(''),
} as const;
