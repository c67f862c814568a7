import type { Message } from 'rllm-sdk';
import { ChatTemplate, type Conversation } from './chat-template.js';
import { textBehind } from './continue-conversation.js';
import { ConversationMemory } from './conversation-memory.js';
import { type ModelFolder, readModelFolder } from './model-folder.js';
import { type ParsedReply, parseReply } from './parse-reply.js';
import { stopIds } from './stop-ids.js';
import { TextTokens } from './text-tokens.js';

/** A conversation as the model is to see it. */
export interface RenderedPrompt {
  readonly ids: readonly number[];
  readonly text: string;
  /** The template writes an earlier reply of the model otherwise than it was sampled, so that these ids do not go on from those. */
  readonly isRewritten: boolean;
}

/** A reply of the model, and what it answered. */
export interface SampledReply {
  /** Names the calls that may go on from each other. */
  readonly stream: string;
  readonly conversation: Conversation;
  readonly prompt: RenderedPrompt;
  /** The sampled ids, the stop token included. */
  readonly completionIds: readonly number[];
  /** Texts at which sampling was to stop. */
  readonly stops: readonly string[];
  readonly callIdPrefix: string;
}

/** A reply as text and taken apart. */
export interface ReadReply extends ParsedReply {
  /** The whole completion without the stop token. */
  readonly text: string;
}

/** About 128 MiB of ids: every rollout of a step with thousands of long ones. */
const REMEMBERED_IDS = 2 ** 25;

/**
 * Between conversations and token ids, with the model's own tokenizer and chat template.
 *
 * A conversation that goes on keeps the ids that the model saw and sampled: the next prompt is those ids and then the ids of what the
 * template adds behind the reply. A reply is never encoded again, since text does not tell which ids it came from.
 */
export class Renderer {
  /** Ids of the tokens that end the model's turn. */
  readonly stopIds: readonly number[];
  readonly folder: ModelFolder;
  readonly #tokens: TextTokens;
  readonly #template: ChatTemplate;
  readonly #memory = new ConversationMemory(REMEMBERED_IDS);

  /** @throws RllmError CONFIG_INVALID when tokenizer or template cannot be used. */
  constructor(folder: ModelFolder, templateVariables: Readonly<Record<string, unknown>> = {}) {
    this.folder = folder;
    this.#tokens = new TextTokens(folder);
    this.#template = new ChatTemplate(folder, templateVariables);
    this.stopIds = stopIds(folder, this.#tokens, this.#template);
  }

  /** @throws RllmError CONFIG_INVALID when the folder cannot be read, or its tokenizer or template cannot be used. */
  static async open(path: string, templateVariables: Readonly<Record<string, unknown>>): Promise<Renderer> {
    return new Renderer(await readModelFolder(path), templateVariables);
  }

  /** @throws RllmError ROLLOUT_FAILED when the template refuses the conversation. */
  prompt(stream: string, conversation: Conversation): RenderedPrompt {
    const text = this.#template.prompt(conversation);
    const remembered = this.#memory.find(stream, conversation.messages);
    if (remembered === undefined) return { ids: this.#tokens.encode(text), text, isRewritten: false };
    const behind = textBehind(remembered, conversation, text, this.#template);
    if (behind === undefined) return { ids: this.#tokens.encode(text), text, isRewritten: true };
    const { ids, stopId } = remembered;
    const stopText = stopId === undefined ? '' : this.#tokens.decode([stopId]);
    const added = this.#tokens.encode(behind.startsWith(stopText) ? behind.slice(stopText.length) : behind);
    return { ids: [...ids, ...added], text, isRewritten: false };
  }

  /** Reads a reply and remembers it, in case the conversation goes on. */
  read(sampled: SampledReply): ReadReply {
    const { conversation, prompt, completionIds, stops, callIdPrefix } = sampled;
    const last = completionIds.at(-1);
    const stopId = last !== undefined && this.stopIds.includes(last) ? last : undefined;
    const text = this.#tokens.decode(stopId === undefined ? completionIds : completionIds.slice(0, -1));
    const replyText = beforeStop(text, stops);
    const parsed = parseReply(replyText, {
      isThinking: /<think>\s*$/.test(prompt.text),
      tools: conversation.tools,
      callIdPrefix,
    });
    this.#memory.add(sampled.stream, {
      asked: conversation.messages,
      reply: parsed.message,
      replyText,
      promptText: prompt.text,
      ids: Int32Array.from([...prompt.ids, ...completionIds]),
      stopId,
    });
    return { text, ...parsed };
  }

  /** Ids of a plain text. */
  encode(text: string): readonly number[] {
    return this.#tokens.encode(text);
  }

  /** Text of one token. */
  decode(id: number): string {
    return this.#tokens.decode([id]);
  }

  /** Ids of a conversation that nothing came before. */
  promptOf(messages: readonly Message[]): readonly number[] {
    return this.#tokens.encode(this.#template.prompt({ messages, tools: [] }));
  }
}

function beforeStop(text: string, stops: readonly string[]): string {
  const ends = stops.map((stop) => text.indexOf(stop)).filter((at) => at !== -1);
  return ends.length === 0 ? text : text.slice(0, Math.min(...ends));
}
