import type { ToolCall, ToolDefinition } from 'rllm-sdk';
import { isObject } from './model-folder.js';

/** The calls in a text, and the text without them. */
export interface ParsedCalls {
  readonly content: string;
  readonly calls: readonly ToolCall[];
  /** Calls that could not be read: not JSON, or without a name. They stay in `content`. */
  readonly malformed: number;
}

const TAGGED = /<tool_call>([\s\S]*?)<\/tool_call>/g;
const BARE = /^\s*(?:<\|python_tag\|>)?\s*(\{[\s\S]*\})\s*$/;

/**
 * Reads tool calls as models write them: `<tool_call>{"name": …, "arguments": {…}}</tool_call>` (Hermes, Qwen), any number of them among
 * text, or a reply that is nothing but `{"name": …, "parameters": {…}}` with the name of a tool (Llama 3).
 *
 * @param idPrefix  of the ids, which are numbered: models give calls none.
 */
export function parseToolCalls(
  text: string,
  tools: readonly ToolDefinition[],
  idPrefix: string,
): ParsedCalls {
  const calls: ToolCall[] = [];
  let malformed = 0;
  const take = (json: string): boolean => {
    const call = readCall(json);
    if (call !== undefined) calls.push({ id: `${idPrefix}_${calls.length}`, ...call });
    return call !== undefined;
  };
  const bare = BARE.exec(text)?.[1];
  const bareName = bare === undefined ? undefined : readCall(bare)?.name;
  if (bare !== undefined && tools.some(({ name }) => name === bareName)) {
    take(bare);
    return { content: '', calls, malformed: 0 };
  }
  const rest = text.replace(TAGGED, (whole, json: string) => {
    if (take(json)) return '';
    malformed++;
    return whole;
  });
  // An opening tag without its end is a call that was never finished.
  if (rest.replace(TAGGED, '').includes('<tool_call>')) malformed++;
  return { content: calls.length === 0 ? text : rest.trim(), calls, malformed };
}

/** The text apart from tool calls, for comparing: however a call is spelled, it is the same call. */
export function withoutToolCalls(text: string): string {
  return BARE.test(text) ? '' : text.replace(TAGGED, '');
}

function readCall(json: string): Pick<ToolCall, 'name' | 'arguments'> | undefined {
  const call = parsedObject(json);
  const name = call?.['name'];
  if (typeof name !== 'string') return undefined;
  const given = call?.['arguments'] ?? call?.['parameters'] ?? {};
  const values = typeof given === 'string' ? parsedObject(given) : given;
  return isObject(values) ? { name, arguments: values } : undefined;
}

function parsedObject(json: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
