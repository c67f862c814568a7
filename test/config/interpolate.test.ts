// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references to the environment are written so.
import { describe, expect, test } from 'vitest';
import { loadConfig } from '../../src/config/index.js';
import { faultsOfLoading } from './faults-of.js';
import { folderWith } from './workspace.js';

const ENV = { NAME: 'run', EMPTY: '', COUNT: '8', FLAG: 'true' };

describe('a reference to the environment', () => {
  test.each([
    ['${NAME}', 'run'],
    ['a-${NAME}-${COUNT}', 'a-run-8'],
    ['${NOPE:-x}', 'x'],
    ['${EMPTY:-x}', 'x'],
    ['${NAME:-x}', 'run'],
    ['$${NAME}', '${NAME}'],
    ['$${NAME}${NAME}', '${NAME}run'],
    ['costs $5', 'costs $5'],
    ['${COUNT}', '8'],
  ])('in a text, %s is %s', async (text, expected) => {
    const cwd = folderWith({
      'rllmrc.json': JSON.stringify({ workflow: { use: text, options: { deep: [{ text }] } } }),
    });
    const { workflow } = (await loadConfig({ cwd, env: ENV })).config;
    expect(workflow.use).toBe(expected);
    expect(workflow.options).toEqual({ deep: [{ text: expected }] });
  });

  test('becomes a number or a boolean where the field is one', async () => {
    const cwd = folderWith({
      'rllmrc.yaml': 'rollout: { n: "${COUNT}", nVal: "${NOPE:-2}" }\ndata: { shuffle: "${FLAG}" }\n',
    });
    const { rollout, data } = (await loadConfig({ cwd, env: ENV })).config;
    expect([rollout.n, rollout.nVal, data.shuffle]).toEqual([8, 2, true]);
  });

  test('works in modules, and leaves instances and functions alone', async () => {
    const cwd = folderWith({
      'rllm.config.mjs': `class Client { url = '\${NAME}' }
        export default { workflow: { use: '\${NAME}', options: { client: new Client(), make: () => '\${NAME}' } } };`,
    });
    const { workflow } = (await loadConfig({ cwd, env: ENV })).config;
    expect(workflow.use).toBe('run');
    expect(workflow.options['client']).toMatchObject({ url: '${NAME}' });
    expect((workflow.options['make'] as () => string)()).toBe('${NAME}');
  });

  test('means nothing in flags and variables', async () => {
    const cwd = folderWith({ 'rllmrc.json': '{}' });
    const loaded = await loadConfig({ cwd, env: { RLLM_DATA__TRAIN: '${NAME}' }, set: ['data.val=${NAME}'] });
    const { train, val } = loaded.config.data;
    expect([train?.options['path'], val?.options['path']]).toEqual(['${NAME}', '${NAME}']);
  });
});

describe('a fault of a reference', () => {
  test('is a variable that is not set, each with its place', async () => {
    const cwd = folderWith({
      'rllmrc.json':
        '{"data": {"train": "${A}",\n "val": "${B}"}, "rollout": {"n": "${C}"}, "workflow": {"use": "${constructor}"}}',
    });
    const { code, faults } = await faultsOfLoading({ cwd });
    expect(code).toBe('CONFIG_ENV_MISSING');
    expect(faults.map((fault) => [fault.path, fault.line, fault.missingVariable])).toEqual([
      ['data.train.options.path', 1, 'A'],
      ['data.val.options.path', 2, 'B'],
      ['rollout.n', 2, 'C'],
      ['workflow.use', 2, 'constructor'],
    ]);
  });

  test('is none where a flag takes its place', async () => {
    const cwd = folderWith({ 'rllmrc.json': '{"data": {"train": "${A}"}}' });
    const { data } = (await loadConfig({ cwd, env: {}, set: ['data.train=x'] })).config;
    expect(data.train).toEqual({ use: 'file', options: { path: 'x' } });
  });

  test('stands in one report with the other faults', async () => {
    const cwd = folderWith({ 'rllmrc.json': '{"data": {"train": "${A}"}, "trainer": {"sead": 1}}' });
    const { code, faults } = await faultsOfLoading({ cwd });
    expect(code).toBe('CONFIG_INVALID');
    expect(faults.map((fault) => fault.path)).toEqual(['data.train.options.path', 'trainer.sead']);
  });

  test.each(['${', '${}', '${1A}', '${A-b}', 'x ${A'])('is a form that is not known: %s', async (text) => {
    const cwd = folderWith({ 'rllmrc.json': JSON.stringify({ data: { train: text } }) });
    const { byPath } = await faultsOfLoading({ cwd, env: { A: 'x' } });
    expect(byPath['data.train.options.path']?.message).toContain('not well formed');
  });

  test.each([
    ['${EMPTY}', 'an empty text'],
    ['${NAME}', '"${NAME}"'],
    ['${COUNT}x', '"${COUNT}x"'],
    ['-${COUNT}', '-8'],
  ])('is a value that the field does not take: %s', async (text, given) => {
    const cwd = folderWith({ 'rllmrc.json': JSON.stringify({ rollout: { n: text } }) });
    expect((await faultsOfLoading({ cwd, env: ENV })).byPath['rollout.n']?.given).toBe(given);
  });
});
