import { Template } from '@huggingface/jinja';
import { type Message, RllmError, type ToolDefinition } from 'rllm-sdk';
import { folderFault, isObject, type JsonObject, type ModelFolder } from './model-folder.js';
import { templateMessages } from './template-messages.js';

/** A conversation to be written as the model reads it. */
export interface Conversation {
  readonly messages: readonly Message[];
  readonly tools: readonly ToolDefinition[];
}

/** The model's chat template: a conversation as one text, in the form that the model was trained on. */
export class ChatTemplate {
  readonly #plain: Template;
  readonly #withTools: Template;
  readonly #variables: Readonly<Record<string, unknown>>;

  /**
   * @param variables  what the template may ask for besides, such as `enable_thinking`.
   * @throws RllmError CONFIG_INVALID when the folder has no template, or one that cannot be parsed.
   */
  constructor(folder: ModelFolder, variables: Readonly<Record<string, unknown>>) {
    const sources = templateSources(folder);
    this.#plain = parsed(sources.plain, folder.path);
    this.#withTools =
      sources.withTools === sources.plain ? this.#plain : parsed(sources.withTools, folder.path);
    this.#variables = { ...specialTokens(folder.tokenizerConfig), ...variables };
  }

  /** The conversation with the beginning of the model's turn, which it is to go on. */
  prompt(conversation: Conversation): string {
    return this.#render(conversation, true);
  }

  /** The conversation alone. */
  history(conversation: Conversation): string {
    return this.#render(conversation, false);
  }

  /** @throws RllmError ROLLOUT_FAILED when the template refuses the conversation. */
  #render({ messages, tools }: Conversation, addGenerationPrompt: boolean): string {
    const template = tools.length > 0 ? this.#withTools : this.#plain;
    const variables = {
      ...this.#variables,
      messages: templateMessages(messages),
      add_generation_prompt: addGenerationPrompt,
      ...(tools.length === 0 ? {} : { tools: tools.map(templateTool) }),
    };
    try {
      return template.render(variables);
    } catch (cause) {
      const roles = messages.map(({ role }) => role).join(', ');
      const why = cause instanceof Error ? cause.message : String(cause);
      throw new RllmError(
        'ROLLOUT_FAILED',
        `The model's chat template refuses a conversation of the roles ${roles}: ${why}`,
        { cause },
      );
    }
  }
}

function templateTool({ name, description, parameters }: ToolDefinition): JsonObject {
  return { type: 'function', function: { name, description: description ?? '', parameters } };
}

/** `chat_template` is a text, or a list of named ones of which `tool_use` is for conversations with tools. */
function templateSources({ path, templateFile, tokenizerConfig }: ModelFolder): {
  readonly plain: string;
  readonly withTools: string;
} {
  const given = templateFile ?? tokenizerConfig['chat_template'];
  if (typeof given === 'string') return { plain: given, withTools: given };
  const named = new Map<string, string>();
  for (const entry of Array.isArray(given) ? given : []) {
    if (!isObject(entry)) continue;
    const { name, template } = entry;
    if (typeof name === 'string' && typeof template === 'string') named.set(name, template);
  }
  const plain = named.get('default');
  if (plain === undefined) throw folderFault(`${path} has no chat template`);
  return { plain, withTools: named.get('tool_use') ?? plain };
}

function parsed(source: string, path: string): Template {
  try {
    return new Template(source);
  } catch (cause) {
    throw folderFault(`the chat template of ${path} cannot be parsed`, cause);
  }
}

/** `bos_token`, `eos_token` and the like, by which a template spells them. */
function specialTokens(config: JsonObject): Record<string, string> {
  const tokens: Record<string, string> = {};
  for (const [name, value] of Object.entries(config)) {
    const spelling = name.endsWith('_token') ? tokenSpelling(value) : undefined;
    if (spelling !== undefined) tokens[name] = spelling;
  }
  return tokens;
}

/** A token of a config file is its spelling, or an object that has it as `content`. */
export function tokenSpelling(value: unknown): string | undefined {
  const spelling = isObject(value) ? value['content'] : value;
  return typeof spelling === 'string' ? spelling : undefined;
}
