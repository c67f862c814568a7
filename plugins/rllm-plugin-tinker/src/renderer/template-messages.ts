import type { Message, ToolCall } from 'rllm-sdk';
import type { JsonObject } from './model-folder.js';

/**
 * Messages under the names that chat templates know: `reasoning_content`, `tool_calls` with `function`, `tool_call_id`. A tool's answer
 * also has the tool's `name`, from the call that it answers.
 */
export function templateMessages(messages: readonly Message[]): readonly JsonObject[] {
  const toolNames = new Map<string, string>();
  return messages.map((message) => {
    const { role, content, reasoning, toolCalls, toolCallId } = message;
    for (const { id, name } of toolCalls ?? []) toolNames.set(id, name);
    const toolName = toolCallId === undefined ? undefined : toolNames.get(toolCallId);
    return {
      role,
      content,
      ...(reasoning === undefined ? {} : { reasoning_content: reasoning }),
      ...(toolCalls === undefined ? {} : { tool_calls: toolCalls.map(templateCall) }),
      ...(toolCallId === undefined ? {} : { tool_call_id: toolCallId }),
      ...(toolName === undefined ? {} : { name: toolName }),
    };
  });
}

function templateCall({ id, name, arguments: values }: ToolCall): JsonObject {
  return { id, type: 'function', function: { name, arguments: values } };
}
