import type { EngineProfile, LossProfile } from '../engine/engine-profile.js';
import { TinkerError } from '../errors.js';
import type { Datum, LossInput } from '../types/datum.js';
import type { LossConfig, LossFn } from '../types/loss-fn.js';
import { validateTokens } from '../validate-tokens.js';
import { TOKEN_INPUT } from '../wire/forward-batch.js';

/**
 * Refuses what an engine would refuse late, drop, cut to length, or never finish. Nothing is sent.
 *
 * @param vocabSize  token ids from here on are refused; undefined when it is not known
 * @throws TinkerError INPUT_INVALID or UNSUPPORTED, with datum, input and position
 */
export function validateDatums(
  data: readonly Datum[],
  lossFn: LossFn,
  lossConfig: LossConfig | undefined,
  engine: EngineProfile,
  vocabSize: number | undefined,
): void {
  const loss = engine.losses[lossFn];
  if (loss === undefined) {
    throw new TinkerError(
      'UNSUPPORTED',
      `The engine ${engine.name} has no loss "${lossFn}". It has: ${Object.keys(engine.losses).join(', ')}.`,
    );
  }
  validateConfig(lossConfig ?? {}, lossFn, loss, engine);
  if (data.length === 0) throw new TinkerError('INPUT_INVALID', 'There is no datum; at least one is needed.');
  data.forEach((datum, index) => {
    validateDatum(datum, index, lossFn, loss, engine, vocabSize);
  });
}

function validateConfig(config: LossConfig, lossFn: LossFn, loss: LossProfile, engine: EngineProfile): void {
  for (const [key, value] of Object.entries(config)) {
    if (!Object.hasOwn(loss.config, key)) {
      const known = Object.keys(loss.config).join(', ') || 'none';
      throw new TinkerError(
        'UNSUPPORTED',
        `${lossFn} on ${engine.name} takes no "${key}". It takes: ${known}.`,
      );
    }
    if (!Number.isFinite(value)) throw new TinkerError('INPUT_INVALID', `${key} of ${lossFn} is ${value}.`);
    if (loss.fixedConfig === true && value !== loss.config[key]) {
      throw new TinkerError(
        'UNSUPPORTED',
        `${lossFn} on ${engine.name} has ${key} fixed at ${loss.config[key]}; ${value} would be ignored.`,
      );
    }
  }
}

function validateDatum(
  { modelInput, lossInputs }: Datum,
  index: number,
  lossFn: LossFn,
  loss: LossProfile,
  engine: EngineProfile,
  vocabSize: number | undefined,
): void {
  const at = `datum ${index}`;
  validateTokens(modelInput, `modelInput of ${at}`, vocabSize);
  for (const name of loss.inputs) {
    if (lossInputs[name] === undefined) {
      throw new TinkerError(
        'INPUT_INVALID',
        `${lossFn} on ${engine.name} needs "${name}", which ${at} lacks.`,
      );
    }
  }
  for (const [name, values] of Object.entries(lossInputs)) {
    if (!loss.inputs.includes(name)) {
      throw new TinkerError(
        'UNSUPPORTED',
        `${lossFn} on ${engine.name} takes no "${name}", which ${at} has. It takes: ${loss.inputs.join(', ')}.`,
      );
    }
    if (values.length !== modelInput.length) {
      throw new TinkerError(
        'INPUT_INVALID',
        `${name} of ${at} has length ${values.length}, modelInput ${modelInput.length}; they must be equal.`,
      );
    }
    if (name === TOKEN_INPUT) validateTokens(values, `${name} of ${at}`, vocabSize);
    else validateFinite(values, `${name} of ${at}`);
  }
  const { weights } = lossInputs;
  if (engine.positiveWeightSum && weights !== undefined && !(sum(weights) > 0)) {
    throw new TinkerError(
      'INPUT_INVALID',
      `weights of ${at} sum to ${sum(weights)}; ${engine.name} divides by the sum, so it must be positive.`,
    );
  }
}

/** Finite as a float32, which is what is sent. */
function validateFinite(values: LossInput, what: string): void {
  for (let i = 0; i < values.length; i++) {
    if (Number.isFinite(Math.fround(values[i]!))) continue;
    throw new TinkerError(
      'INPUT_INVALID',
      `${what} has ${values[i]} at position ${i}; it must be a finite float32.`,
    );
  }
}

function sum(values: LossInput): number {
  let total = 0;
  for (let i = 0; i < values.length; i++) total += values[i]!;
  return total;
}
