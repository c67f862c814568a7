import { expect, test } from 'vitest';
import { Registry } from '../src/registry.js';

test('a registry keeps the order of first mention, and knows owners', () => {
  const registry = new Registry<number>('backend');
  registry.add('b', 1, 'x');
  registry.add('a', 2, 'y');
  registry.add('b', 3, 'z', { override: true });
  expect(registry.list()).toEqual([
    { name: 'b', value: 3, owner: 'z' },
    { name: 'a', value: 2, owner: 'y' },
  ]);
  expect([registry.get('a'), registry.has('b'), registry.has('c'), registry.names()]).toEqual([
    2,
    true,
    false,
    ['b', 'a'],
  ]);
});

test('without entries an unknown name says that none is known', () => {
  expect(() => new Registry('tracker').get('x')).toThrow(
    expect.objectContaining({ code: 'UNKNOWN_NAME', message: 'No tracker is named "x". None is known.' }),
  );
});

test('the same value twice is no fault, another one is, and names both owners', () => {
  const registry = new Registry<object>('workflow');
  const value = {};
  registry.add('mine', value, 'a');
  registry.add('mine', value, 'b');
  expect(() => registry.add('mine', {}, 'c')).toThrow(
    expect.objectContaining({
      code: 'DUPLICATE_NAME',
      message: 'Two parts bring the workflow "mine": a and c.',
    }),
  );
});

test('after the freeze nothing is added, the same value included', () => {
  const registry = new Registry<number>('backend');
  registry.add('a', 1, 'x');
  registry.freeze();
  expect(() => registry.add('a', 1, 'x')).toThrow(expect.objectContaining({ code: 'REGISTRY_FROZEN' }));
});
