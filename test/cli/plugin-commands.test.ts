import { describe, expect, test } from 'vitest';
import { createProgram } from '../../src/cli/program.js';
import { OWN_WORDS } from '../../src/plugin-host/index.js';
import { line } from './in-process.js';
import { project } from './project.js';

/** A project with a plugin of these commands, as JavaScript. */
function withCommands(commands: string, more: Readonly<Record<string, object | string>> = {}): string {
  return project({
    'tinker.ts': `export default { name: 'rllm-plugin-tinker', apiVersion: 1, commands: [${commands}] };`,
    'rllmrc.json': { plugins: ['./tinker.ts'] },
    ...more,
  });
}

/** Prints what it is called with. */
const CHECK = `{
  name: 'tinker check', summary: 'ask a server what it can do',
  arguments: [{ name: '[models...]', summary: 'names' }],
  options: [{ flags: '-u, --url <url>', summary: 'where' }, { flags: '--fast', summary: 'soon' }],
  async run({ arguments: args, options, config, json, print }) {
    print(JSON.stringify({ args, options, seed: config.trainer.seed, json }));
  },
}`;

const printed = ({ stdout }: { readonly stdout: string }): unknown => JSON.parse(stdout);

describe('a command of a plugin', () => {
  test('runs with its arguments, its options and the configuration, and without a workflow or data', async () => {
    const outcome = await line(withCommands(CHECK), [
      'tinker',
      'check',
      'a',
      'b',
      '--url',
      'http://x',
      '--fast',
    ]);
    expect(outcome).toMatchObject({ code: 0, stderr: '' });
    expect(printed(outcome)).toEqual({
      args: ['a', 'b'],
      options: { url: 'http://x', fast: true },
      seed: 0,
      json: false,
    });
  });

  test.each([
    ['before', ['--set', 'trainer.seed=7', '-c', 'other.json', 'tinker', 'check']],
    ['behind', ['tinker', 'check', '--config', 'other.json', '-s', 'trainer.seed=7']],
    ['between', ['tinker', '--config=other.json', 'check', '--set=trainer.seed=7']],
  ])('takes the options of every command %s its words', async (_where, args) => {
    const folder = withCommands(CHECK, { 'other.json': { plugins: ['./tinker.ts'] }, 'rllmrc.json': {} });
    expect(printed(await line(folder, args))).toMatchObject({ options: {}, seed: 7 });
  });

  test('of one word runs as well', async () => {
    const folder = withCommands(`{ name: 'hello', summary: 's', run: async ({ print }) => print('hello') }`);
    expect(await line(folder, ['hello'])).toMatchObject({ code: 0, stdout: 'hello\n' });
  });

  test('ends with the exit code that it returns', async () => {
    const folder = withCommands(`{ name: 'five', summary: 's', run: async () => 5 }`);
    expect((await line(folder, ['five'])).code).toBe(5);
  });

  test.each(['-1', '256', '1.5', `'no'`])(
    'that returns %s fails, since that is no exit code',
    async (value) => {
      const folder = withCommands(`{ name: 'odd', summary: 's', run: async () => ${value} }`);
      const { code, stderr } = await line(folder, ['odd']);
      expect(code).toBe(1);
      expect(stderr).toContain('error COMMAND_FAILED');
    },
  );

  test('that throws is reported with the name of its plugin', async () => {
    const folder = withCommands(`{ name: 'bad', summary: 's', run() { throw new TypeError('no socket'); } }`);
    const { code, stdout, stderr } = await line(folder, ['bad', '--json']);
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^error COMMAND_FAILED {2}The command "bad" of plugin "rllm-plugin-tinker" failed: no socket\n/,
    );
    expect(JSON.parse(stdout)).toMatchObject({ event: 'error', code: 'COMMAND_FAILED' });
  });

  test('that throws a coded error keeps its code and exit code', async () => {
    const folder = withCommands('', {
      'tinker.ts': `import { RllmError } from 'rllm-sdk';
        export default { name: 'p', apiVersion: 1, commands: [
          { name: 'bad', summary: 's', run() { throw new RllmError('USAGE', 'which?'); } },
        ] };`,
    });
    const { code, stderr } = await line(folder, ['bad']);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^error USAGE {2}.*"p" failed: which\?/);
  });

  test('is told of Ctrl-C, and one that then ends exits with 130', async () => {
    const folder =
      withCommands(`{ name: 'wait', summary: 's', run: ({ signal, print }) => new Promise((resolve) => {
      signal.addEventListener('abort', () => { print('stopped'); resolve(undefined); });
      process.emit('SIGINT');
    }) }`);
    expect(await line(folder, ['wait'])).toMatchObject({ code: 130, stdout: 'stopped\n' });
  });

  test('writes nothing but its line to stdout with --json, whatever it logs', async () => {
    const folder = withCommands(`{ name: 'talk', summary: 's', async run({ logger, print, paint }) {
      console.log('chatter'); logger.info('more'); print(JSON.stringify({ painted: paint('red', 'x') }));
    } }`);
    const outcome = await line(folder, ['talk', '--json']);
    expect(outcome.stdout).toBe('{"painted":"x"}\n');
    expect(outcome.stderr).toContain('more');
  });

  test('logs nothing that need not be told with --quiet, and more with --verbose', async () => {
    const folder = withCommands(
      `{ name: 'talk', summary: 's', async run({ logger }) { logger.debug('fine print'); logger.info('news'); } }`,
    );
    expect((await line(folder, ['talk', '--quiet'])).stderr).toBe('');
    const verbose = (await line(folder, ['talk', '--verbose'])).stderr;
    expect(verbose).toContain('news');
    expect(verbose).toContain('fine print');
  });
});

describe('help for a command of a plugin', () => {
  test.each([[['tinker', '--help']], [['help', 'tinker']]])('%j lists its commands', async (args) => {
    const { code, stdout } = await line(withCommands(CHECK), args);
    expect(code).toBe(0);
    expect(stdout).toMatch(
      /Usage: rllm tinker .*check .*ask a server what it can do \(rllm-plugin-tinker\)/s,
    );
  });

  test('shows its own options and those of every command', async () => {
    const { stdout } = await line(withCommands(CHECK), ['tinker', 'check', '--help']);
    for (const text of [
      '-u, --url <url>',
      '[models...]',
      '--config <file>',
      '--config-data-only',
      '--json',
    ]) {
      expect(stdout).toContain(text);
    }
  });
});

describe('a first word that nothing knows', () => {
  test('is answered with the nearest of all commands, those of plugins among them', async () => {
    const folder = withCommands(CHECK);
    for (const [word, near] of [
      ['tinkr', 'tinker'],
      ['trian', 'train'],
    ] as const) {
      const { code, stderr } = await line(folder, [word]);
      expect(code).toBe(2);
      expect(stderr).toContain(`Did you mean ${near}?`);
      expect(stderr).toContain('needs the plugin named in the configuration');
    }
  });

  test('has no plugins to ask with --no-plugins', async () => {
    const { code, stderr } = await line(withCommands(CHECK), ['tinker', 'check', '--no-plugins']);
    expect(code).toBe(2);
    expect(stderr).toContain("unknown command 'tinker'");
  });

  test('in a folder whose configuration is broken, both are told', async () => {
    const folder = withCommands(CHECK, { 'rllmrc.json': { plugins: ['./absent.ts'] } });
    const { code, stderr } = await line(folder, ['trian']);
    expect(code).toBe(2);
    expect(stderr).toMatch(/unknown command 'trian'\n\(Did you mean train\?\)\n.*\nerror PLUGIN_INVALID/s);
  });

  test('in a folder without a configuration is a usage error', async () => {
    expect(await line(project({}), ['tinker'])).toMatchObject({ code: 2, stdout: '' });
  });
});

describe('a plugin is refused', () => {
  test('that brings a first word of the program itself, by every command that loads it', async () => {
    const folder = withCommands(`{ name: 'train fast', summary: 's', run: async () => 0 }`);
    const { code, stderr } = await line(folder, ['plugins', 'list']);
    expect(code).toBe(2);
    expect(stderr).toMatch(/error PLUGIN_INVALID.*"\.\/tinker\.ts".*"train fast".*"train"/s);
  });

  test.each(['Tinker', 'a b c', '--x', ''])('that brings a command named %j', async (name) => {
    const folder = withCommands(`{ name: ${JSON.stringify(name)}, summary: 's', run: async () => 0 }`);
    expect((await line(folder, ['plugins', 'list'])).stderr).toContain('PLUGIN_INVALID');
  });

  test.each([
    ['an option of every command', `options: [{ flags: '--config <x>', summary: 's' }]`, '--config <file>'],
    ['a short option of every command', `options: [{ flags: '-s, --site <x>', summary: 's' }]`, '--set'],
    ['an option without a long form', `options: [{ flags: '-x', summary: 's' }]`, 'no long form'],
    ['an option twice', `options: [{ flags: '--a', summary: 's' }, { flags: '--a', summary: 's' }]`, '--a'],
    ['an option of several values', `options: [{ flags: '--a <b...>', summary: 's' }]`, 'several values'],
    [
      'a required argument behind one that is not',
      `arguments: [{ name: '[a...]', summary: 's' }, { name: '<b>', summary: 's' }]`,
      'b',
    ],
  ])('that brings a command with %s', async (_what, fields, told) => {
    const folder = withCommands(`{ name: 'cmd', summary: 's', ${fields}, run: async () => 0 }`);
    const { code, stderr } = await line(folder, ['cmd']);
    expect(code).toBe(2);
    expect(stderr).toMatch(/error PLUGIN_INVALID.*"rllm-plugin-tinker".*"cmd"/s);
    expect(stderr).toContain(told);
  });
});

test('no command runs beside one that cannot be read', async () => {
  const good = `{ name: 'good', summary: 's', run: async ({ print }) => print('ran') }`;
  const folder = withCommands(
    `${good}, { name: 'cmd', summary: 's', options: [{ flags: '-x', summary: 's' }], run() {} }`,
  );
  const { code, stdout, stderr } = await line(folder, ['good']);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain('error PLUGIN_INVALID');
});

test('the words that plugins may not take are those of the program', () => {
  const own = createProgram(() => undefined).commands.map((command) => command.name());
  expect([...OWN_WORDS].sort()).toEqual([...own, 'help'].sort());
});
