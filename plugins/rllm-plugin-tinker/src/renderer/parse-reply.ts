import type { Message, ToolDefinition } from 'rllm-sdk';
import { parseToolCalls } from './tool-calls.js';

/** A reply taken apart. */
export interface ParsedReply {
  readonly message: Message;
  /** Tool calls that could not be read and stay as text. */
  readonly malformedCalls: number;
}

export interface ParseContext {
  /** The prompt ended with an opened `<think>`. */
  readonly isThinking: boolean;
  readonly tools: readonly ToolDefinition[];
  readonly callIdPrefix: string;
}

const OPEN = '<think>';
const CLOSE = '</think>';

/**
 * The message that a sampled text stands for: thinking between `<think>` and `</think>` apart from the answer, tool calls read where tools
 * were offered. Thinking that never ended is all there is.
 */
export function parseReply(text: string, context: ParseContext): ParsedReply {
  const { reasoning, answer } = splitThinking(text, context.isThinking);
  const { tools, callIdPrefix } = context;
  const { content, calls, malformed } =
    tools.length === 0
      ? { content: answer, calls: [], malformed: 0 }
      : parseToolCalls(answer, tools, callIdPrefix);
  const message: Message = {
    role: 'assistant',
    content,
    ...(reasoning === undefined ? {} : { reasoning }),
    ...(calls.length === 0 ? {} : { toolCalls: calls }),
  };
  return { message, malformedCalls: malformed };
}

function splitThinking(
  text: string,
  isThinking: boolean,
): { readonly reasoning?: string; readonly answer: string } {
  const opened = text.trimStart();
  if (!isThinking && !opened.startsWith(OPEN)) return { answer: text };
  const inside = opened.startsWith(OPEN) ? opened.slice(OPEN.length) : text;
  const end = inside.indexOf(CLOSE);
  const reasoning = (end === -1 ? inside : inside.slice(0, end)).trim();
  const answer = end === -1 ? '' : inside.slice(end + CLOSE.length).trimStart();
  return reasoning === '' ? { answer } : { reasoning, answer };
}
