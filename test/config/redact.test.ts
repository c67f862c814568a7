// biome-ignore-all lint/suspicious/noTemplateCurlyInString: references to the environment are written so.
import { describe, expect, test } from 'vitest';
import { loadConfig, redact, redactFlag, resolveConfig } from '../../src/config/index.js';
import { faultsOfLoading } from './faults-of.js';
import { folderWith } from './workspace.js';

const SECRET = 'sk-do-not-print-me';

describe('a secret never prints', () => {
  test('from a reference, a variable or a flag', async () => {
    const cwd = folderWith({
      'rllmrc.json': JSON.stringify({
        workflow: { options: { url: 'https://${KEY}/x', header: 'Bearer ${KEY}' } },
        plugins: [{ use: 'p', options: { apiKey: 'sk-do-not-print-me' } }],
      }),
    });
    const loaded = await loadConfig({
      cwd,
      env: {
        KEY: SECRET,
        RLLM_DATA__TRAIN: SECRET,
        RLLM_BACKEND__OPTIONS: JSON.stringify({ tinker: { where: SECRET } }),
      },
      set: [`backend.options.local.hf_token=${SECRET}`],
    });
    const printed = redact(loaded.config, loaded);
    expect(JSON.stringify([printed, loaded.sources])).not.toContain(SECRET);
    expect(printed).toMatchObject({
      workflow: { options: { url: 'https://${KEY}/x', header: 'Bearer ${KEY}' } },
      plugins: [{ options: { apiKey: '[hidden]' } }],
      data: { train: { use: 'file', options: { path: '${RLLM_DATA__TRAIN}' } } },
      backend: { options: { local: { hf_token: '[hidden]' }, tinker: { where: '[hidden]' } } },
    });
  });

  test('in the report of faults', async () => {
    const cwd = folderWith({
      'rllmrc.json': JSON.stringify({ trainer: { seed: '${KEY}' }, algorithm: { lrSchedule: 'x${KEY}' } }),
    });
    const env = { KEY: SECRET, RLLM_ROLLOUT__N: SECRET, RLLM_DATA: SECRET };
    const { message, faults } = await faultsOfLoading({ cwd, env, set: [`backend.apiKey=${SECRET}`] });
    expect(faults).toHaveLength(5);
    expect(message + JSON.stringify(faults)).not.toContain(SECRET);
  });

  test.each([
    ['apiKey', true],
    ['api_key', true],
    ['x-api-key', true],
    ['accessToken', true],
    ['token', true],
    ['HF_TOKEN', true],
    ['clientSecret', true],
    ['password', true],
    ['Authorization', true],
    ['openaiKey', true],
    ['openAIKey', true],
    ['wandb_key', true],
    ['HFToken', true],
    ['sshKey', true],
    ['accesskey', true],
    ['dbPwd', true],
    ['auth', true],
    ['basicAuth', true],
    ['dsn', true],
    ['connectionString', true],
    ['maxTokens', false],
    ['tokens', false],
    ['tokenizer', false],
    ['eosToken', false],
    ['key', false],
    ['idKey', false],
    ['primaryKey', false],
    ['keys', false],
    ['EOSToken', false],
    ['apiKeyEnv', false],
    ['authMode', false],
    ['author', false],
  ])('by the name of an option: %s', (key, isHidden) => {
    const printed = redact(resolveConfig({ workflow: { options: { nested: [{ [key]: 'value' }] } } }));
    expect(printed).toMatchObject({
      workflow: { options: { nested: [{ [key]: isHidden ? '[hidden]' : 'value' }] } },
    });
  });

  test.each([
    ['https://ghp_TOKEN@host/x', 'https://[hidden]@host/x'],
    ['https://me:pw@host/x', 'https://[hidden]@host/x'],
    ['postgres://me:p@ss@host/db', 'postgres://me:[hidden]@host/db'],
    ['redis://:p@ss/w@h/0', 'redis://:[hidden]@h/0'],
    ['redis://:1234@h/0', 'redis://:[hidden]@h/0'],
    ['https://h/?n=1&api_key=SECRET&m=2', 'https://h/?n=1&api_key=[hidden]&m=2'],
    ['https://h/v1?key=SECRET', 'https://h/v1?key=[hidden]'],
    ['https://h/a?sv=1&sig=SECRET', 'https://h/a?sv=1&sig=[hidden]'],
    ['curl https://t@h/x https://h/?token=t', 'curl https://[hidden]@h/x https://h/?token=[hidden]'],
  ])('of a URL: %s', (url, shown) => {
    expect(redact(resolveConfig({ workflow: { options: { url } } }))).toMatchObject({
      workflow: { options: { url: shown } },
    });
  });

  test.each([
    'https://host:8080/npm/pkg@1.2?n=1&monkey=2#top',
    'http://[::1]:8000/a@b',
    'ssh://git@host/x.git',
    'postgres://me@host/db',
    'a text with user:name@host and ?key=value',
  ])('but not of one without a secret: %s', (url) => {
    expect(redact(resolveConfig({ workflow: { options: { url } } }))).toMatchObject({
      workflow: { options: { url } },
    });
  });

  test('below an option named so, or as the password of a URL', () => {
    const options = { credentials: { user: 'u', pin: 1234 }, db: 'postgres://me:pw@host/db' };
    expect(redact(resolveConfig({ workflow: { options } }))).toMatchObject({
      workflow: {
        options: { credentials: { user: '[hidden]', pin: '[hidden]' }, db: 'postgres://me:[hidden]@host/db' },
      },
    });
  });
});

describe('a flag prints', () => {
  test.each([
    ['workflow.options.apiKey=sk-1', 'workflow.options.apiKey=[hidden]'],
    ['workflow.options.credentials.pin=1234', 'workflow.options.credentials.pin=[hidden]'],
    ['workflow.options={"apiKey":"sk-1","n":2}', 'workflow.options={"apiKey":"[hidden]","n":2}'],
    [
      'backend={"name":"b","options":{"b":{"token":"t"}}}',
      'backend={"name":"b","options":{"b":{"token":"[hidden]"}}}',
    ],
    ['data.train=postgres://me:pw@host/db', 'data.train=postgres://me:[hidden]@host/db'],
    ['apiKey', '[hidden]'],
  ])('without its secret: %s', (flag, printed) => {
    expect(redactFlag(flag)).toBe(printed);
  });

  test.each(['trainer.seed=7', 'trainer.experimentName=a b', 'workflow.options={ "n": 2 }', 'rollout.n=4e0'])(
    'as it was written where it holds none: %s',
    (flag) => {
      expect(redactFlag(flag)).toBe(flag);
    },
  );
});

describe('what prints', () => {
  test('numbers, booleans and choices from the environment, which decide the run', async () => {
    const cwd = folderWith({ 'rllmrc.json': '{"trainer": {"seed": "${SEED}"}}' });
    const env = { SEED: '7', RLLM_DATA__SHUFFLE: 'false', RLLM_ALGORITHM__LR_SCHEDULE: 'cosine' };
    const loaded = await loadConfig({ cwd, env });
    expect(redact(loaded.config, loaded)).toMatchObject({
      trainer: { seed: 7 },
      data: { shuffle: false },
      algorithm: { lrSchedule: 'cosine' },
    });
  });

  test('the name of a role, whatever it is', () => {
    const estimatorMap = { secret_agent: 'rloo', token: 'grpo' };
    expect(redact(resolveConfig({ algorithm: { estimatorMap } }))).toMatchObject({
      algorithm: { estimatorMap },
    });
  });

  test('loads again to the same configuration', async () => {
    const cwd = folderWith({
      'rllmrc.json': JSON.stringify({
        data: { train: '${DIR}/a', val: '$${x}' },
        workflow: { options: { t: '$${y}' } },
      }),
    });
    const env = { DIR: 'd', RLLM_WORKFLOW__USE: 'w' };
    const set = ['trainer.experimentName=${z}'];
    const first = await loadConfig({ cwd, env, set });
    const again = folderWith({ 'rllmrc.json': JSON.stringify(redact(first.config, first)) });
    expect((await loadConfig({ cwd: again, env })).config).toEqual(first.config);
    expect(first.config.data).toMatchObject({
      train: { use: 'file', options: { path: 'd/a' } },
      val: { use: 'file', options: { path: '${x}' } },
    });
  });

  test('what only code can hold, by its kind', () => {
    class Client {}
    const options = { client: new Client(), make() {}, at: new Date(0), big: 1n };
    expect(redact(resolveConfig({ workflow: { options } }))).toMatchObject({
      workflow: {
        options: { client: '[Client]', make: '[function make]', at: '1970-01-01T00:00:00.000Z', big: '1' },
      },
    });
  });
});
