import {
  type Backend,
  type BackendCapabilities,
  type BackendContext,
  type BackendDefinition,
  definePlugin,
  type Metrics,
  type ModelCall,
  type ModelOutput,
  RllmError,
  stream,
} from 'rllm-sdk';
import * as z from 'zod';

const schema = z.strictObject({
  replies: z.array(z.string().min(1)).min(1).default(['yes', 'no']).describe('What it may answer.'),
  contextLength: z
    .number()
    .int()
    .positive()
    .default(8192)
    .describe('Characters of a conversation and its reply.'),
});

type ExampleOptions = z.output<typeof schema>;

/** What it can do. A setting that asks for more is an error at start, with the name of this backend. */
const CAPABILITIES: BackendCapabilities = {
  training: false,
  losses: [],
  defaultLosses: { default: '' },
  gradientClipping: false,
  learningRateSchedules: ['constant'],
  miniBatches: false,
  perTokenAdvantages: false,
  logprobs: false,
  checkpoints: false,
};

/** Answers by chance, where yours asks a model: see `getModelResponse`. It samples and does not train; a token is a character. */
export class ExampleBackend implements Backend {
  readonly name = 'example_part';
  readonly capabilities: BackendCapabilities = CAPABILITIES;
  readonly rolloutEngine = { getModelResponse: (call: ModelCall) => this.getModelResponse(call) };
  readonly weightVersion = 0;
  readonly #options: ExampleOptions;
  readonly #seed: number;

  constructor(options: ExampleOptions, { config }: BackendContext) {
    this.#options = options;
    this.#seed = config.trainer.seed;
  }

  async start(): Promise<void> {}

  async getModelResponse({ messages, sampling, identity, signal }: ModelCall): Promise<ModelOutput> {
    signal?.throwIfAborted();
    const promptIds = idsOf(messages.map(({ content }) => content).join('\n'));
    const room = this.#options.contextLength - promptIds.length;
    if (room < 1) {
      const message = `The conversation has ${promptIds.length} characters, and there is room for ${this.#options.contextLength}.`;
      throw new RllmError('PROMPT_TOO_LONG', message);
    }
    // Equal calls get equal answers, whatever runs beside them.
    const { mode, step, taskId, rolloutIndex, attempt, call } = identity;
    const random = stream(this.#seed, this.name, mode, step, taskId, rolloutIndex, attempt, call);
    const reply = this.#options.replies[random.int(this.#options.replies.length)] ?? '';
    const whole = idsOf(reply);
    const completionIds = whole.slice(0, Math.min(sampling.maxTokens, room));
    const text = String.fromCodePoint(...completionIds);
    const finishReason = completionIds.length < whole.length ? 'length' : 'stop';
    return { text, content: text, promptIds, completionIds, logprobs: [], finishReason, weightVersion: 0 };
  }

  transformToBackendBatch(): undefined {}

  async processBatch(): Promise<Metrics> {
    return {};
  }

  async updatePolicy(): Promise<Metrics> {
    throw cannot('train');
  }

  async saveCheckpoint(): Promise<void> {
    throw cannot('save');
  }

  async loadCheckpoint(): Promise<void> {
    throw cannot('load');
  }

  async shutdown(): Promise<void> {}
}

function cannot(what: string): RllmError {
  return new RllmError('CAPABILITY_MISSING', `The backend "example_part" cannot ${what}.`);
}

function idsOf(text: string): number[] {
  return [...text].map((char) => char.codePointAt(0) ?? 0);
}

export const exampleBackend: BackendDefinition = {
  name: 'example_part',
  summary: 'answers by chance, for rollouts and evaluation',
  options: schema,
  capabilities: CAPABILITIES,
  create: (given, context) => new ExampleBackend(schema.parse(given), context),
};

export default definePlugin({
  name: 'rllm-plugin-example',
  apiVersion: 1,
  backends: [exampleBackend],
});
