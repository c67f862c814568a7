import { createHash } from 'node:crypto';
import fc from 'fast-check';
import type { Message, ToolDefinition } from 'rllm-sdk';
import { describe, expect, test } from 'vitest';
import { Renderer } from '../../src/renderer/index.js';
import { CHATML, QWEN3, SPECIALS, tinyModel } from '../tiny-model.js';

const END = SPECIALS['<|im_end|>'];
const user = (content: string): Message => ({ role: 'user', content });
const ascii = (text: string): number[] => [...text].map((letter) => letter.charCodeAt(0));

const WEATHER: ToolDefinition = { name: 'weather', parameters: { type: 'object', properties: {} } };

/** One conversation with a model that says what it is told to, byte by byte. */
class Chat {
  readonly renderer: Renderer;
  readonly tools: readonly ToolDefinition[];
  messages: Message[] = [];
  /** Ids of the last prompt and reply. */
  ids: number[] = [];
  rewritten = 0;

  constructor(renderer: Renderer, tools: readonly ToolDefinition[] = []) {
    this.renderer = renderer;
    this.tools = tools;
  }

  ask(message: Message, completionIds: readonly number[], stops: readonly string[] = []) {
    this.messages.push(message);
    const conversation = { messages: [...this.messages], tools: this.tools };
    const prompt = this.renderer.prompt('lane', conversation);
    if (prompt.isRewritten) this.rewritten++;
    const reply = this.renderer.read({
      stream: 'lane',
      conversation,
      prompt,
      completionIds,
      stops,
      callIdPrefix: 'call',
    });
    this.messages.push(reply.message);
    this.ids = [...prompt.ids, ...completionIds];
    return { prompt, reply };
  }
}

const textOf = (renderer: Renderer, ids: readonly number[]): string =>
  ids.map((id) => renderer.decode(id)).join('');

describe('a prompt', () => {
  const renderer = new Renderer(tinyModel(CHATML));

  test('is what the template writes, special tokens as one id each', () => {
    const { ids } = renderer.prompt('lane', { messages: [user('hello')], tools: [] });
    const [start, newline] = [SPECIALS['<|im_start|>'], 10];
    expect(ids).toEqual([
      ...[start, ...ascii('user'), newline, 259, END, newline],
      ...[start, ...ascii('assistant'), newline],
    ]);
    expect(textOf(renderer, ids)).toBe('<|im_start|>user\nhello<|im_end|>\n<|im_start|>assistant\n');
  });

  test('ends at the eos token and at the token that the template sets behind a reply', () => {
    expect([...renderer.stopIds].sort()).toEqual([SPECIALS['<|endoftext|>'], END]);
    const model = tinyModel(CHATML);
    const configured = new Renderer({ ...model, generationConfig: { eos_token_id: [7, END] } });
    expect([...configured.stopIds].sort()).toEqual([300, END, 7]);
  });

  test('takes variables of the template from the options', () => {
    const thinking = new Renderer(tinyModel(QWEN3), { opens_thinking: true });
    const { text } = thinking.prompt('lane', { messages: [user('x')], tools: [] });
    expect(text.endsWith('<|im_start|>assistant\n<think>\n')).toBe(true);
  });

  test('of a conversation that the template refuses says why', () => {
    const strict = new Renderer(
      tinyModel(
        `{% if messages[0].role == 'tool' %}{{ raise_exception('no tool first') }}{% endif %}${CHATML}`,
      ),
    );
    const render = () => strict.prompt('lane', { messages: [{ role: 'tool', content: '' }], tools: [] });
    expect(render).toThrow(expect.objectContaining({ code: 'ROLLOUT_FAILED' }));
    expect(render).toThrow(/roles tool: no tool first/);
  });
});

describe('a conversation that goes on', () => {
  test('keeps the ids that were sampled, though their text is encoded otherwise', () => {
    const chat = new Chat(new Renderer(tinyModel(CHATML)));
    const sampled = [...ascii('he'), END];
    const { reply } = chat.ask(user('hello'), sampled);
    expect(chat.renderer.encode(reply.text)).toEqual([256]);
    const before = chat.ids;
    const { prompt } = chat.ask(user('go on'), [256, END]);
    expect(prompt.ids.slice(0, before.length)).toEqual(before);
    expect(prompt.isRewritten).toBe(false);
  });

  test('loses nothing between turns: the text of the ids is that of the template', () => {
    const chat = new Chat(new Renderer(tinyModel(CHATML)));
    const shown = createHash('sha256');
    const written = createHash('sha256');
    for (const turn of ['hello', 'and\n', '\n\n then']) {
      const { prompt } = chat.ask(user(turn), [...ascii(' hello'), END]);
      shown.update(textOf(chat.renderer, prompt.ids));
      written.update(prompt.text);
    }
    expect(shown.digest('hex')).toBe(written.digest('hex'));
    expect(chat.rewritten).toBe(0);
  });

  test('gets the end of a turn that was cut short', () => {
    const chat = new Chat(new Renderer(tinyModel(CHATML)));
    chat.ask(user('a'), ascii('cut'));
    const before = chat.ids;
    const { prompt } = chat.ask(user('b'), [END]);
    expect(textOf(chat.renderer, prompt.ids.slice(before.length))).toBe(
      '<|im_end|>\n<|im_start|>user\nb<|im_end|>\n<|im_start|>assistant\n',
    );
  });

  test('keeps a text at which sampling stopped, which the message does not have', () => {
    const chat = new Chat(new Renderer(tinyModel(CHATML)));
    const { reply } = chat.ask(user('a'), ascii('done STOP'), ['STOP']);
    expect([reply.text, reply.message.content]).toEqual(['done STOP', 'done ']);
    const before = chat.ids;
    const { prompt } = chat.ask(user('b'), [END]);
    expect(prompt.ids.slice(0, before.length)).toEqual(before);
  });

  test('is recognised by the whole text of a reply too', () => {
    const chat = new Chat(new Renderer(tinyModel(QWEN3)));
    const { reply } = chat.ask(user('a'), [...ascii('<think>\nhm\n</think>\n\nyes'), END]);
    const before = chat.ids;
    chat.messages = [user('a'), { role: 'assistant', content: reply.text }];
    const { prompt } = chat.ask({ role: 'tool', content: 'x' }, [END]);
    expect(prompt.ids.slice(0, before.length)).toEqual(before);
  });

  test('may go on in two ways from one reply', () => {
    const chat = new Chat(new Renderer(tinyModel(CHATML)));
    chat.ask(user('a'), [...ascii('he'), END]);
    const [before, messages] = [chat.ids, chat.messages];
    for (const other of ['b', 'c']) {
      chat.messages = [...messages];
      const { prompt } = chat.ask(user(other), [END]);
      expect(prompt.ids.slice(0, before.length)).toEqual(before);
    }
  });

  test('is another one under another name, or when a message was changed', () => {
    const chat = new Chat(new Renderer(tinyModel(CHATML)));
    chat.ask(user('hello'), [...ascii('he'), END]);
    const conversation = { messages: [...chat.messages, user('b')], tools: [] };
    const anew = chat.renderer.encode(chat.renderer.prompt('lane', conversation).text);
    expect(chat.renderer.prompt('other', conversation).ids).toEqual(anew);
    const changed = { messages: [user('hullo'), ...conversation.messages.slice(1)], tools: [] };
    expect(chat.renderer.prompt('lane', changed)).toMatchObject({
      ids: chat.renderer.encode(chat.renderer.prompt('lane', changed).text),
      isRewritten: false,
    });
    expect(chat.renderer.prompt('lane', conversation).ids).not.toEqual(anew);
  });

  test('extends its ids for whatever is said and sampled', () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 12 });
    const completion = fc.array(fc.integer({ min: 0, max: 261 }), { minLength: 1, maxLength: 12 });
    const turns = fc.array(fc.record({ text, completion, isCut: fc.boolean() }), {
      minLength: 2,
      maxLength: 5,
    });
    fc.assert(
      fc.property(turns, (conversation) => {
        const chat = new Chat(new Renderer(tinyModel(CHATML)));
        for (const { text: said, completion: ids, isCut } of conversation) {
          const before = chat.ids;
          const { prompt } = chat.ask(user(said), isCut ? ids : [...ids, END]);
          expect(prompt.isRewritten).toBe(false);
          expect(prompt.ids.slice(0, before.length)).toEqual(before);
        }
      }),
      { numRuns: 50 },
    );
  });
});

describe('thinking', () => {
  test('is told apart from the answer, whether the model or the template opens it', () => {
    const own = new Chat(new Renderer(tinyModel(QWEN3)));
    const { reply } = own.ask(user('a'), [...ascii('<think>\nhm\n</think>\n\nyes'), END]);
    expect(reply.message).toEqual({ role: 'assistant', content: 'yes', reasoning: 'hm' });
    const opened = new Chat(new Renderer(tinyModel(QWEN3), { opens_thinking: true }));
    const second = opened.ask(user('a'), [...ascii('hm\n</think>\n\nyes'), END]);
    expect(second.reply.message).toEqual({ role: 'assistant', content: 'yes', reasoning: 'hm' });
  });

  test('that never ended leaves no answer', () => {
    const chat = new Chat(new Renderer(tinyModel(QWEN3)));
    const { reply } = chat.ask(user('a'), ascii('<think>\nhm and'));
    expect(reply.message).toEqual({ role: 'assistant', content: '', reasoning: 'hm and' });
  });

  test('that the template drops at the next question breaks the sequence: the prompt is rendered anew', () => {
    const chat = new Chat(new Renderer(tinyModel(QWEN3)));
    chat.ask(user('a'), [...ascii('<think>\nhm\n</think>\n\nyes'), END]);
    const { prompt } = chat.ask(user('b'), [END]);
    expect(prompt.isRewritten).toBe(true);
    expect(textOf(chat.renderer, prompt.ids)).toBe(prompt.text);
    expect(prompt.text).not.toContain('hm');
  });

  test('that the template opens and later leaves out breaks it as well', () => {
    const chat = new Chat(new Renderer(tinyModel(QWEN3), { opens_thinking: true }));
    chat.ask(user('a'), [...ascii('hm\n</think>\n\nyes'), END]);
    expect(chat.ask(user('b'), [END]).prompt.isRewritten).toBe(true);
  });

  test('that was kept between calls of tools does not', () => {
    const chat = new Chat(new Renderer(tinyModel(QWEN3)), [WEATHER]);
    const call = '<tool_call>\n{"name":"weather","arguments":{"place":"Bonn"}}\n</tool_call>';
    chat.ask(user('a'), [...ascii(`<think>\nhm\n</think>\n\n${call}`), END]);
    const before = chat.ids;
    const { prompt } = chat.ask({ role: 'tool', content: 'sun', toolCallId: 'call_0' }, [END]);
    expect(prompt.isRewritten).toBe(false);
    expect(prompt.ids.slice(0, before.length)).toEqual(before);
    expect(textOf(chat.renderer, prompt.ids.slice(before.length))).toBe(
      '\n<|im_start|>user\n<tool_response>\nsun\n</tool_response><|im_end|>\n<|im_start|>assistant\n',
    );
  });
});

describe('calls of tools', () => {
  const replyTo = (text: string, tools = [WEATHER]) =>
    new Chat(new Renderer(tinyModel(QWEN3)), tools).ask(user('a'), [...ascii(text), END]).reply;

  test('are offered by the template', () => {
    const renderer = new Renderer(tinyModel(QWEN3));
    const { text } = renderer.prompt('lane', { messages: [user('a')], tools: [WEATHER] });
    expect(text).toContain('{"type": "function", "function": {"name": "weather"');
  });

  test.each([
    {
      form: 'one between tags',
      text: 'Let me see.\n<tool_call>\n{"name": "weather", "arguments": {"place": "Bonn"}}\n</tool_call>',
      content: 'Let me see.',
      calls: [{ id: 'call_0', name: 'weather', arguments: { place: 'Bonn' } }],
    },
    {
      form: 'several',
      text: '<tool_call>{"name":"a","arguments":{}}</tool_call>\n<tool_call>{"name":"b"}</tool_call>',
      content: '',
      calls: [
        { id: 'call_0', name: 'a', arguments: {} },
        { id: 'call_1', name: 'b', arguments: {} },
      ],
    },
    {
      form: 'arguments as a text',
      text: '<tool_call>{"name":"a","arguments":"{\\"n\\": 1}"}</tool_call>',
      content: '',
      calls: [{ id: 'call_0', name: 'a', arguments: { n: 1 } }],
    },
    {
      form: "Llama's bare object",
      text: '{"name": "weather", "parameters": {"place": "Bonn"}}',
      content: '',
      calls: [{ id: 'call_0', name: 'weather', arguments: { place: 'Bonn' } }],
    },
  ])('are read: $form', ({ text, content, calls }) => {
    const { message, malformedCalls } = replyTo(text);
    expect(message).toEqual({ role: 'assistant', content, toolCalls: calls });
    expect(malformedCalls).toBe(0);
  });

  test.each([
    ['broken JSON', '<tool_call>{"name": "weather", </tool_call>'],
    ['no name', '<tool_call>{"arguments": {}}</tool_call>'],
    ['arguments that are no object', '<tool_call>{"name": "a", "arguments": [1]}</tool_call>'],
    ['no end', 'So: <tool_call>{"name": "weather"'],
  ])('that cannot be read stay text and are counted: %s', (_, text) => {
    expect(replyTo(text)).toMatchObject({ message: { role: 'assistant', content: text }, malformedCalls: 1 });
    expect(replyTo(text).message.toolCalls).toBeUndefined();
  });

  test('one that can be read beside one that cannot', () => {
    const bad = '<tool_call>{</tool_call>';
    const { message, malformedCalls } = replyTo(`${bad}<tool_call>{"name":"a"}</tool_call>`);
    expect(message).toMatchObject({ content: bad, toolCalls: [{ name: 'a' }] });
    expect(malformedCalls).toBe(1);
  });

  test('are not looked for where no tool is offered, nor is an object of another shape one', () => {
    const text = '<tool_call>{"name":"a"}</tool_call>';
    expect(replyTo(text, []).message).toEqual({ role: 'assistant', content: text });
    const json = '{"name": "unknown", "parameters": {}}';
    expect(replyTo(json).message).toEqual({ role: 'assistant', content: json });
  });
});

describe("a model's folder", () => {
  test('without a chat template, or with a damaged one, is refused by name of the option', () => {
    const bare = { ...tinyModel(CHATML), templateFile: undefined };
    const broken = tinyModel('{% for %}');
    for (const folder of [bare, broken]) {
      expect(() => new Renderer(folder)).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
      expect(() => new Renderer(folder)).toThrow(/backend\.options\.tinker\.tokenizer/);
    }
  });

  test('may have several templates, one of them for tools', () => {
    const model = tinyModel('');
    const renderer = new Renderer({
      ...model,
      templateFile: undefined,
      tokenizerConfig: {
        ...model.tokenizerConfig,
        chat_template: [
          { name: 'default', template: 'plain' },
          { name: 'tool_use', template: 'with {{ tools[0].function.name }}' },
        ],
      },
    });
    expect(renderer.prompt('a', { messages: [user('x')], tools: [] }).text).toBe('plain');
    expect(renderer.prompt('a', { messages: [user('x')], tools: [WEATHER] }).text).toBe('with weather');
  });

  test('that is none says which file it misses', async () => {
    await expect(Renderer.open('/nowhere', {})).rejects.toThrow(/nowhere\/tokenizer\.json does not exist/);
  });
});
