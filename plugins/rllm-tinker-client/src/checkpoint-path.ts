import { TinkerError } from './errors.js';

/** `tinker://RUN/KIND/NAME`, taken apart. */
export interface CheckpointPath {
  readonly runId: string;
  readonly kind: 'weights' | 'sampler_weights';
  readonly name: string;
}

/** @throws TinkerError INPUT_INVALID */
export function parseCheckpointPath(path: string): CheckpointPath {
  const { runId, kind, name } =
    /^tinker:\/\/(?<runId>[^/]+)\/(?<kind>weights|sampler_weights)\/(?<name>[^/]+)$/.exec(path)?.groups ?? {};
  if (runId === undefined || name === undefined) {
    throw new TinkerError(
      'INPUT_INVALID',
      `"${path}" is no checkpoint; it is tinker://RUN/weights/NAME or tinker://RUN/sampler_weights/NAME.`,
    );
  }
  return { runId, kind: kind === 'weights' ? 'weights' : 'sampler_weights', name };
}

/** tx answers a save with `tinker://RUN/NAME`, which only its own sampling understands. */
export function samplerPath(path: string): string {
  return path.replace(/^tinker:\/\/([^/]+)\/([^/]+)$/, 'tinker://$1/sampler_weights/$2');
}

/** @throws TinkerError INPUT_INVALID unless every engine takes it as the name of a checkpoint. */
export function validateCheckpointName(name: string): void {
  if (/^[a-zA-Z0-9_-]{1,255}$/.test(name)) return;
  throw new TinkerError(
    'INPUT_INVALID',
    `"${name}" cannot name a checkpoint; use 1 to 255 letters, digits, "_" and "-".`,
  );
}
