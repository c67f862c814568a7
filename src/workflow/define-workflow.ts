import { declare } from '../declarations.js';
import { checkFields, DECLARED_FIELDS } from '../declaring-decorator.js';
import { RllmError } from '../errors.js';
import { callable, text } from '../field-checks.js';
import type { StandardSchema } from '../standard-schema.js';
import type { WorkflowClass, WorkflowDefinition, WorkflowFunction } from './workflow.js';

/** A workflow in full: what `defineWorkflow` takes besides the short forms. */
export interface WorkflowInit<Options = unknown> {
  readonly name: string;
  /** One sentence for lists. */
  readonly summary?: string;
  /** Validates `workflow.options` at start; zod, valibot and arktype schemas fit. */
  readonly options?: StandardSchema<unknown, Options>;
  readonly run: WorkflowFunction<Options> | WorkflowClass<Options>;
  /** Takes the place of an earlier workflow of this name. */
  readonly override?: boolean;
}

/**
 * Declares a workflow: a function, or a class that extends `Workflow`. A class is constructed anew for every attempt.
 *
 * Export what it returns, so that a plugin brings it; `workflow.use` in the config names it. Without a name it takes that
 * of the function, or `workflow`.
 *
 * @throws RllmError DECORATOR_MISUSED when there is nothing to run, the name is empty, or it is given what it does not take.
 */
export function defineWorkflow<Options>(init: WorkflowInit<Options>): WorkflowDefinition<Options>;
export function defineWorkflow<Options>(
  run: WorkflowFunction<Options> | WorkflowClass<Options>,
): WorkflowDefinition<Options>;
export function defineWorkflow<Options>(
  name: string,
  run: WorkflowFunction<Options> | WorkflowClass<Options>,
): WorkflowDefinition<Options>;
export function defineWorkflow<Options>(
  first: WorkflowInit<Options> | WorkflowFunction<Options> | WorkflowClass<Options> | string,
  second?: WorkflowFunction<Options> | WorkflowClass<Options>,
): WorkflowDefinition<Options> {
  const init = initOf(first, second);
  const { name, run } = init;
  if (typeof name !== 'string' || name === '' || typeof run !== 'function') {
    throw new RllmError(
      'DECORATOR_MISUSED',
      `defineWorkflow takes a function or a Workflow class, with a name or in { name, run }; got name ${JSON.stringify(name)} and run of type ${typeof run}.`,
    );
  }
  checkFields(`defineWorkflow("${name}")`, init, { name: text, run: callable, ...DECLARED_FIELDS });
  const definition: WorkflowDefinition<Options> = {
    name,
    ...(init.summary === undefined ? {} : { summary: init.summary }),
    ...(init.options === undefined ? {} : { options: init.options }),
    run: isWorkflowClass(run) ? (task, context) => new run(context).run(task) : run,
  };
  declare({
    kind: 'workflow',
    name,
    form: 'definition',
    target: definition,
    override: init.override ?? false,
    options: {},
  });
  return definition;
}

function initOf<Options>(
  first: WorkflowInit<Options> | WorkflowFunction<Options> | WorkflowClass<Options> | string,
  second: WorkflowFunction<Options> | WorkflowClass<Options> | undefined,
): Partial<WorkflowInit<Options>> {
  if (typeof first === 'string') return second === undefined ? { name: first } : { name: first, run: second };
  if (typeof first === 'function') return { name: first.name || 'workflow', run: first };
  return first ?? {};
}

/** Told by its shape, since the class may extend the `Workflow` of another copy of the SDK. */
function isWorkflowClass<Options>(
  run: WorkflowFunction<Options> | WorkflowClass<Options>,
): run is WorkflowClass<Options> {
  const prototype: unknown = run.prototype;
  return (
    typeof prototype === 'object' &&
    prototype !== null &&
    'run' in prototype &&
    typeof prototype.run === 'function'
  );
}
