import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createChatFormat } from '../../../src/backend/local/chat-format.js';
import { Vocabulary } from '../../../src/backend/local/vocabulary.js';
import type { Message } from '../../../src/types/index.js';

const WORDS = ['<bos>', '<user>', '<model>', '<end>', '1', '2', 'lower', 'higher'];
const plain = { words: WORDS, bos: '<bos>', separator: ' ', roles: {}, endOfTurn: null } as const;
const marked = { ...plain, roles: { user: '<user>', assistant: '<model>' }, endOfTurn: '<end>' };

const CHAT: readonly Message[] = [
  { role: 'user', content: '  higher\nlower ' },
  { role: 'assistant', content: '1' },
  { role: 'user', content: '' },
];

test('words are split at white space and joined by a space', () => {
  const vocabulary = new Vocabulary(plain);
  expect(vocabulary.encode(' 1  lower\n<end> ')).toEqual([4, 6, 3]);
  expect(vocabulary.decode([4, 6, 3])).toBe('1 lower <end>');
});

test('without a separator the longest word that fits is taken', () => {
  const vocabulary = new Vocabulary({ words: ['<bos>', '<', 'b', '1', '12'], separator: '' });
  expect(vocabulary.encode('<bos><b1212')).toEqual([0, 1, 2, 4, 4]);
  expect(vocabulary.decode([0, 1, 4])).toBe('<bos><12');
});

test('a word outside the vocabulary is an error that names it', () => {
  expect(() => new Vocabulary(plain).encode('1 seven')).toThrow(
    expect.objectContaining({ code: 'TOKEN_UNKNOWN', message: expect.stringContaining('"seven"') }),
  );
});

test('by default a prompt is the first token and the words of the messages', () => {
  expect(createChatFormat(new Vocabulary(plain), plain).prompt(CHAT)).toEqual([0, 7, 6, 4]);
});

test('with marks, messages are opened and closed and the reply is opened', () => {
  expect(createChatFormat(new Vocabulary(marked), marked).prompt(CHAT)).toEqual([
    0, 1, 7, 6, 3, 2, 4, 3, 1, 3, 2,
  ]);
});

test('a reply that comes back as a message extends the prompt by exactly its tokens', () => {
  const token = fc.nat({ max: WORDS.length - 1 }).filter((id) => id !== 3);
  fc.assert(
    fc.property(fc.array(token, { minLength: 1, maxLength: 4 }), (ids) => {
      const bare = createChatFormat(new Vocabulary(plain), plain);
      const next = bare.prompt([...CHAT, { role: 'assistant', content: bare.reply(ids) }]);
      expect(next).toEqual([...bare.prompt(CHAT), ...ids]);
      const format = createChatFormat(new Vocabulary(marked), marked);
      const reply = [...ids, 3];
      const longer = format.prompt([...CHAT, { role: 'assistant', content: format.reply(reply) }]);
      expect(longer).toEqual([...format.prompt(CHAT), ...reply, 2]);
    }),
  );
});
