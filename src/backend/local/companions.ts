import type { Requirement } from '../../advantage/index.js';
import { RllmError } from '../../errors.js';
import {
  type CheckpointSource,
  type CriticOptions,
  DEFAULT_CRITIC,
  type LocalOptions,
} from './local-options.js';

/** What stands beside the policy in a run: an option that is set asks for it, and so does what an estimator requires. */
export interface Companions {
  readonly critic?: CriticOptions;
  readonly reference?: 'initial' | CheckpointSource;
  readonly teacher?: CheckpointSource;
}

/** @throws RllmError CONFIG_INVALID when a teacher is required and none is given; with `details.faults`. */
export function companionsOf(
  { critic, reference, teacher }: LocalOptions,
  requirements: ReadonlySet<Requirement>,
): Companions {
  const wantsCritic = critic !== null || requirements.has('values');
  const wantsReference = reference !== null || requirements.has('referenceLogprobs');
  if (teacher === null && requirements.has('teacherLogprobs')) throw teacherMissing();
  return {
    ...(wantsCritic ? { critic: critic ?? DEFAULT_CRITIC } : {}),
    ...(wantsReference ? { reference: reference ?? 'initial' } : {}),
    ...(teacher === null || teacher === 'workflow' ? {} : { teacher }),
  };
}

function teacherMissing(): RllmError {
  const fault = {
    path: 'backend.options.local.teacher',
    message: 'an estimator needs teacherLogprobs, and the backend "local" has no teacher',
    expected: '{ "checkpoint": FOLDER }, or "workflow" where the workflow sets step.teacherLogprobs',
  };
  return new RllmError('CONFIG_INVALID', `${fault.path}: ${fault.message}. Expected ${fault.expected}.`, {
    details: { faults: [fault] },
  });
}
