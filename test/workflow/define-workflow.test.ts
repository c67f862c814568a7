import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { declarationsOf, programDeclarations } from '../../src/declarations.js';
import { RllmError } from '../../src/errors.js';
import { defineWorkflow, Workflow, type WorkflowDefinition } from '../../src/workflow/index.js';

class Solve extends Workflow {
  override async run(): Promise<void> {}
}

async function guess(): Promise<void> {}

describe('defineWorkflow', () => {
  test('takes a name with a function or a class', () => {
    expect(defineWorkflow('one', guess).name).toBe('one');
    expect(defineWorkflow('two', Solve).name).toBe('two');
  });

  test('names a workflow after its function or class where no name is given', () => {
    expect(defineWorkflow(guess).name).toBe('guess');
    expect(defineWorkflow(Solve).name).toBe('Solve');
    expect(defineWorkflow(async () => {}).name).toBe('workflow');
  });

  test('takes everything in one object, and options type the context', () => {
    const options = z.object({ tries: z.number().default(3) });
    const workflow = defineWorkflow({
      name: 'full',
      summary: 'All of it.',
      options,
      run: async (_, context) => {
        context.options.tries.toFixed();
        // @ts-expect-error no such option
        context.options.turns;
      },
    });
    expect(workflow).toMatchObject({ name: 'full', summary: 'All of it.', options });
    const list: readonly WorkflowDefinition[] = [workflow];
    expect(list).toHaveLength(1);
  });

  test('declares the definition, and marks it, so that a plugin that exports it brings it', () => {
    const workflow = defineWorkflow({ name: 'declared', run: guess, override: true });
    const declaration = {
      kind: 'workflow',
      name: 'declared',
      form: 'definition',
      target: workflow,
      override: true,
      options: {},
    };
    expect(declarationsOf(workflow)).toStrictEqual([declaration]);
    expect(programDeclarations().at(-1)).toStrictEqual(declaration);
  });

  test.each<[string, readonly unknown[]]>([
    ['no function', ['name']],
    ['an empty name', ['', guess]],
    ['an object without run', [{ name: 'x' }]],
    ['nothing', []],
    ['a field that it does not have', [{ name: 'x', run: guess, optoins: {} }]],
    ['options that are no schema', [{ name: 'x', run: guess, options: { tries: 3 } }]],
  ])('refuses %s', (_, args) => {
    const define = defineWorkflow as (...args: readonly unknown[]) => unknown;
    let thrown: unknown;
    try {
      define(...args);
    } catch (error) {
      thrown = error;
    }
    expect(RllmError.isInstance(thrown) && thrown.code).toBe('DECORATOR_MISUSED');
  });
});
