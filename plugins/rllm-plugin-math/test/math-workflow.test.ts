import { type Episode, type RllmConfigInput, RllmError } from 'rllm-sdk';
import { testApp } from 'rllm-sdk/testing';
import { describe, expect, test } from 'vitest';
import math from '../src/index.js';

const TASKS = [
  { id: 'a', question: 'What is 6 · 7?', answer: 'It is 6 · 7.\n#### 42' },
  { id: 'b', question: 'And half of it?', answer: 21 },
];

interface Asked {
  readonly config?: RllmConfigInput;
  readonly reply: string;
  readonly tasks?: readonly Readonly<Record<string, unknown>>[];
}

/** One step of the workflow `math` with a model that says one thing: its episodes, and what it was asked. */
async function ask({ config, reply, tasks = TASKS }: Asked) {
  const prompts: unknown[] = [];
  const episodes: Episode[] = [];
  await using test = await testApp(
    {
      ...config,
      workflow: { use: 'math', retryLimit: 1, ...config?.workflow },
      rollout: { n: 1, ...config?.rollout },
      data: { trainBatchSize: tasks.length, shuffle: false },
      trainer: { totalBatches: 1 },
    },
    {
      policy: ({ messages }) => {
        prompts.push(messages.map(({ role, content }) => [role, content]));
        return reply;
      },
      trainData: tasks,
      useDeclared: false,
      plugins: [
        math,
        {
          name: 'watch',
          apiVersion: 1,
          hooks: { onRolloutEnd: (episode) => void episodes.push(episode) },
        },
      ],
    },
  );
  await test.train();
  return { prompts, episodes, trajectories: episodes.flatMap(({ trajectories }) => trajectories) };
}

const failure = async (asked: Asked): Promise<RllmError> => {
  const thrown = await ask(asked).then(
    () => undefined,
    (error: unknown) => error,
  );
  if (RllmError.isInstance(thrown)) return thrown;
  throw new Error(`not an RllmError: ${String(thrown)}`);
};

test('the right answer gives 1, the wrong one 0, by rows as GSM8K has them', async () => {
  const { episodes, trajectories } = await ask({ reply: String.raw`So it is \boxed{42}.` });
  expect(trajectories.map(({ name, reward, rewards }) => ({ name, reward, rewards }))).toEqual([
    { name: 'solver', reward: 1, rewards: { math_answer: 1, math_format: 1 } },
    { name: 'solver', reward: 0, rewards: { math_answer: 0, math_format: 1 } },
  ]);
  expect(episodes.map(({ isCorrect }) => isCorrect)).toEqual([true, false]);
});

test('system prompt, examples and question stand in this order, each by the same prompt', async () => {
  const { prompts } = await ask({
    reply: '42',
    tasks: [{ problem: 'What is 6 · 7?', hint: { of: 2 }, answer: 42 }],
    config: {
      workflow: {
        options: {
          role: 'pupil',
          system: 'You can count.',
          prompt: '{problem} (to {answer}) \\boxed{}',
          questionField: 'problem',
          examples: [],
        },
      },
    },
  });
  expect(prompts).toEqual([
    [
      ['system', 'You can count.'],
      ['user', 'What is 6 · 7? (to 42) \\boxed{}'],
    ],
  ]);
});

test('examples come before the question', async () => {
  const examples = [{ question: '1 + 1?', answer: '\\boxed{2}' }];
  const options = { prompt: 'Q: {question}', examples };
  const { prompts } = await ask({ reply: '42', tasks: TASKS.slice(0, 1), config: { workflow: { options } } });
  expect(prompts).toEqual([
    [
      ['user', 'Q: 1 + 1?'],
      ['assistant', '\\boxed{2}'],
      ['user', 'Q: What is 6 · 7?'],
    ],
  ]);
});

test('a reply that is cut off is judged by what there is, and ends for that reason', async () => {
  const config = { rollout: { train: { maxTokens: 4 } } };
  const { episodes } = await ask({ reply: 'that is 42', config, tasks: TASKS.slice(0, 1) });
  expect(episodes[0]).toMatchObject({ terminationReason: 'env_done', isCorrect: true });
  const cut = await ask({ reply: 'that is surely 42 indeed', config, tasks: TASKS.slice(0, 1) });
  expect(cut.episodes[0]).toMatchObject({
    terminationReason: 'max_response_length_exceeded',
    isCorrect: true,
  });
});

describe('the reward functions', () => {
  test('are weighed as the config says', async () => {
    const functions = [
      { use: 'math_answer', name: 'right' },
      { use: 'math_format', weight: 0.25 },
    ];
    const { trajectories } = await ask({ reply: 'It is 42.', config: { reward: { functions } } });
    expect(trajectories.map(({ reward }) => reward)).toEqual([1, 0]);
    expect(trajectories[0]?.rewards).toMatchObject({ right: 1, math_format: 0 });
    const boxed = await ask({ reply: String.raw`\boxed{42}`, config: { reward: { functions } } });
    expect(boxed.trajectories.map(({ reward }) => reward)).toEqual([1.25, 0.25]);
  });

  test('take the field of the answer, a tolerance, and several answers', async () => {
    const options = { answerField: 'gold', tolerance: 0.01 };
    const { trajectories } = await ask({
      reply: 'about 3.141',
      tasks: [{ question: 'pi?', answer: 'x', gold: ['3', '3.14'] }],
      config: {
        workflow: { options },
        reward: { functions: [{ use: 'math_answer', options }] },
      },
    });
    expect(trajectories[0]?.reward).toBe(1);
  });

  test.each([
    ['no box', 'It is 42.', 0],
    ['one box', String.raw`\boxed{42}`, 1],
    ['two boxes', String.raw`\boxed{42} \boxed{42}`, 0],
    ['an empty box', String.raw`\boxed{ }`, 0],
  ])('the format of %s', async (_what, reply, expected) => {
    const { trajectories } = await ask({ reply, config: { reward: { functions: ['math_format'] } } });
    expect(trajectories[0]?.reward).toBe(expected);
  });
});

test('a row without the field is an error that names the fields it has', async () => {
  const question = await failure({ reply: '42', tasks: [{ id: 'x', problem: '6 · 7', answer: 1 }] });
  expect(question.message).toContain('"question"');
  expect(question.message).toContain('id, problem, answer');
  const answer = await failure({ reply: '42', tasks: [{ question: '6 · 7', solution: 42 }] });
  expect(answer.message).toContain('"answer"');
  expect(answer.message).toContain('question, solution');
  const options = { prompt: '{question} {constructor}' };
  const inherited = await failure({ reply: '42', config: { workflow: { options } } });
  expect(inherited.message).toContain('"constructor"');
});

test.each([
  { what: 'without the question', options: { prompt: 'Well?' } },
  {
    what: 'with a field that its examples lack',
    options: { prompt: '{question} {hint}', examples: [{ question: '1 + 1', answer: '2' }] },
  },
])('a prompt $what is refused at start', async ({ options }) => {
  const error = await failure({ reply: '', config: { workflow: { options } } });
  expect(error.code).toBe('CONFIG_INVALID');
  expect(error.message).toContain('workflow.options.prompt');
});
