import type { ToolCall } from 'rllm-sdk';

/** A tool call as servers send it: `arguments` is JSON text by the API, and an object from some. */
export interface RawToolCall {
  readonly id?: string | null | undefined;
  readonly function: {
    readonly name: string;
    readonly arguments?: string | Readonly<Record<string, unknown>> | null | undefined;
  };
}

export interface ReadToolCalls {
  readonly calls: readonly ToolCall[];
  /** Calls whose arguments are no JSON object, each as the model wrote it. */
  readonly malformed: readonly string[];
}

/**
 * Tool calls with their arguments parsed. A model may write nonsense: that is its answer, no failure of the call, so such a
 * call is handed on as text for the workflow to judge.
 */
export function readToolCalls(raw: readonly RawToolCall[]): ReadToolCalls {
  const calls: ToolCall[] = [];
  const malformed: string[] = [];
  for (const [i, call] of raw.entries()) {
    const { name, arguments: given } = call.function;
    const parsed = typeof given === 'string' ? parseObject(given) : (given ?? {});
    if (parsed === undefined) malformed.push(callText(name, String(given)));
    else calls.push({ id: call.id || `call_${i}`, name, arguments: parsed });
  }
  return { calls, malformed };
}

/** A call as one line of text, arguments as JSON. */
export function callText(name: string, argumentsText: string): string {
  return `{"name": ${JSON.stringify(name)}, "arguments": ${argumentsText}}`;
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  // Models leave the arguments of a function without parameters empty.
  if (text.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    return isRecord(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
