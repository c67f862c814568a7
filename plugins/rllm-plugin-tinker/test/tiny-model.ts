import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ModelFolder } from '../src/renderer/index.js';

/** ChatML, as most models speak it. */
export const CHATML =
  "{% for message in messages %}{{ '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>' + '\\n' }}{% endfor %}" +
  "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}";

/** As Qwen3's: thinking is written only behind the last question, tools stand in the system message, answers of tools in a user's turn. */
export const QWEN3 = `{%- if tools %}
    {{- '<|im_start|>system\\n# Tools\\n' }}
    {%- for tool in tools %}{{- tool | tojson + '\\n' }}{%- endfor %}
    {{- '<|im_end|>\\n' }}
{%- endif %}
{%- set ns = namespace(last=-1) %}
{%- for message in messages %}{%- if message.role == 'user' %}{%- set ns.last = loop.index0 %}{%- endif %}{%- endfor %}
{%- for message in messages %}
    {%- if message.role == 'assistant' %}
        {%- set content = message.content %}
        {%- set thinking = '' %}
        {%- if message.reasoning_content is string %}
            {%- set thinking = message.reasoning_content %}
        {%- elif '</think>' in content %}
            {%- set thinking = content.split('</think>')[0].split('<think>')[-1].strip('\\n') %}
            {%- set content = content.split('</think>')[-1].lstrip('\\n') %}
        {%- endif %}
        {{- '<|im_start|>assistant\\n' }}
        {%- if loop.index0 > ns.last and (loop.last or thinking) %}
            {{- '<think>\\n' + thinking.strip('\\n') + '\\n</think>\\n\\n' }}
        {%- endif %}
        {{- content }}
        {%- if message.tool_calls %}
            {%- for call in message.tool_calls %}
                {%- if content or not loop.first %}{{- '\\n' }}{%- endif %}
                {{- '<tool_call>\\n{"name": "' + call.function.name + '", "arguments": ' + (call.function.arguments | tojson) + '}\\n</tool_call>' }}
            {%- endfor %}
        {%- endif %}
        {{- '<|im_end|>\\n' }}
    {%- elif message.role == 'tool' %}
        {{- '<|im_start|>user\\n<tool_response>\\n' + message.content + '\\n</tool_response><|im_end|>\\n' }}
    {%- else %}
        {{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' }}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}{{- '<|im_start|>assistant\\n' }}{%- if opens_thinking %}{{- '<think>\\n' }}{%- endif %}{%- endif %}`;

/** Ids of the special tokens; those below are bytes (0 to 255) and merged pairs. */
export const SPECIALS = { '<|endoftext|>': 300, '<|im_start|>': 301, '<|im_end|>': 302 } as const;

/** Pairs that become one token, in order: `he` is 256. */
const MERGES = ['h e', 'l l', 'he ll', 'hell o', 'Ġ hello', 'Ċ Ċ'];

/** GPT-2's way to write bytes as letters. */
function byteLetters(): readonly string[] {
  const isPlain = (byte: number): boolean =>
    (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
  let next = 256;
  return Array.from({ length: 256 }, (_, byte) => String.fromCodePoint(isPlain(byte) ? byte : next++));
}

/** A byte-level BPE with a handful of merges, written as Hugging Face writes tokenizers. */
export function tinyModel(template: string): ModelFolder {
  const vocab: Record<string, number> = {};
  for (const [byte, letter] of byteLetters().entries()) vocab[letter] = byte;
  for (const [i, merge] of MERGES.entries()) vocab[merge.replace(' ', '')] = 256 + i;
  const added = Object.entries(SPECIALS).map(([content, id]) => ({
    id,
    content,
    special: true,
    single_word: false,
    lstrip: false,
    rstrip: false,
    normalized: false,
  }));
  return {
    path: 'tiny',
    tokenizer: {
      version: '1.0',
      added_tokens: added,
      normalizer: null,
      pre_tokenizer: { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: true },
      post_processor: null,
      decoder: { type: 'ByteLevel', add_prefix_space: true, trim_offsets: true, use_regex: true },
      model: { type: 'BPE', unk_token: null, byte_fallback: false, fuse_unk: false, vocab, merges: MERGES },
    },
    tokenizerConfig: { eos_token: '<|endoftext|>', tokenizer_class: 'GPT2Tokenizer' },
    generationConfig: {},
    modelConfig: { vocab_size: 320, max_position_embeddings: 2048 },
    templateFile: template,
  };
}

/** The same as files. */
export async function writeTinyModel(folder: string, template: string): Promise<void> {
  const { tokenizer, tokenizerConfig, modelConfig } = tinyModel(template);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'tokenizer.json'), JSON.stringify(tokenizer));
  await writeFile(join(folder, 'tokenizer_config.json'), JSON.stringify(tokenizerConfig));
  await writeFile(join(folder, 'config.json'), JSON.stringify(modelConfig));
  await writeFile(join(folder, 'chat_template.jinja'), template);
}
