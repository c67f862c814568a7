import type { Message } from 'rllm-sdk';
import { expect, test } from 'vitest';
import { ConversationMemory } from '../../src/renderer/conversation-memory.js';

const user = (content: string): Message => ({ role: 'user', content });
const assistant = (content: string): Message => ({ role: 'assistant', content });

/** A conversation of one question and its reply, of so many ids. */
const conversation = (question: string, ids: number) => ({
  asked: [user(question)],
  reply: assistant('yes'),
  replyText: 'yes',
  promptText: '',
  ids: new Int32Array(ids),
  stopId: undefined,
});
const goingOn = (question: string) => [user(question), assistant('yes'), user('more')];

test('the conversations used longest ago are forgotten once there are too many ids', () => {
  const memory = new ConversationMemory(10);
  memory.add('a', conversation('a', 4));
  memory.add('b', conversation('b', 4));
  memory.add('a', conversation('a2', 1));
  memory.add('c', conversation('c', 5));
  expect(memory.find('b', goingOn('b'))).toBeUndefined();
  for (const [stream, question] of [
    ['a', 'a'],
    ['a', 'a2'],
    ['c', 'c'],
  ] as const) {
    expect(memory.find(stream, goingOn(question))?.asked).toEqual([user(question)]);
  }
});

test('one that is larger than all that is allowed is kept until the next', () => {
  const memory = new ConversationMemory(10);
  memory.add('a', conversation('a', 50));
  expect(memory.find('a', goingOn('a'))).toBeDefined();
  memory.add('b', conversation('b', 1));
  expect(memory.find('a', goingOn('a'))).toBeUndefined();
  expect(memory.find('b', goingOn('b'))).toBeDefined();
});

test('the longest that the messages go on from is found, however the caller changes them later', () => {
  const memory = new ConversationMemory(100);
  const asked = goingOn('a').map((message) => ({ ...message }));
  memory.add('s', conversation('a', 3));
  memory.add('s', { ...conversation('a', 6), asked });
  Object.assign(asked[0]!, { content: 'changed' });
  const messages = [...goingOn('a'), assistant('yes'), user('and more')];
  expect(memory.find('s', messages)?.ids).toHaveLength(6);
  expect(memory.find('s', messages.slice(0, 3))?.ids).toHaveLength(3);
});

test('a conversation that nothing was added to is not one that goes on', () => {
  const memory = new ConversationMemory(100);
  memory.add('s', conversation('a', 3));
  expect(memory.find('s', [user('a'), assistant('yes')])).toBeUndefined();
});
