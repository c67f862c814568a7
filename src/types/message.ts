/** A call of a tool that the model asked for. `arguments` is parsed JSON. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** A tool that the model may call. */
export interface ToolDefinition {
  readonly name: string;
  readonly description?: string;
  /** JSON Schema of the arguments, an object. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** One message of a chat, in the shape that every chat API shares. */
export interface Message {
  readonly role: 'system' | 'user' | 'assistant' | 'tool';
  readonly content: string;
  /** The model's thinking, kept apart from its answer. */
  readonly reasoning?: string;
  readonly toolCalls?: readonly ToolCall[];
  /** On a `tool` message: the call that it answers. */
  readonly toolCallId?: string;
}
