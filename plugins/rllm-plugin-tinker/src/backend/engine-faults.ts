import { checkCapabilities, lossOfRole, type RllmConfig, RllmError, type SettingFault } from 'rllm-sdk';
import type { EngineProfile } from 'rllm-tinker-client';
import { capabilitiesOf } from './engine-capabilities.js';
import { lossCall } from './loss-call.js';
import type { TinkerOptions } from './tinker-options.js';

/** Settings that an engine cannot honour and that `capabilitiesOf` has no word for. */
export function engineFaults(
  config: RllmConfig,
  { lora: { rank } }: TinkerOptions,
  engine: EngineProfile,
): readonly SettingFault[] {
  const faults: SettingFault[] = [];
  if (engine.powerOfTwoRank && (rank & (rank - 1)) !== 0) {
    faults.push({
      path: 'backend.options.tinker.lora.rank',
      message: `the engine "${engine.name}" takes powers of two only, not ${rank}`,
      expected: '8 | 16 | 32 | 64',
    });
  }
  return [...faults, ...fixedBoundFaults(config, engine)];
}

/**
 * Whether the engine can honour the config, once it is known which engine it is.
 *
 * @throws RllmError CAPABILITY_MISSING with `details.faults`.
 */
export function assertEngineCan(config: RllmConfig, options: TinkerOptions, engine: EngineProfile): void {
  if (config.trainer.valOnly) return;
  const able = { name: `tinker (engine ${engine.name})`, capabilities: capabilitiesOf(engine) };
  const faults = [
    ...checkCapabilities(config, able, new Map(), false),
    ...engineFaults(config, options, engine),
  ];
  if (faults.length === 0) return;
  const lines = faults.map(({ path, message, expected }) =>
    [`${path}: ${message}.`, ...(expected === undefined ? [] : [`Expected ${expected}.`])].join(' '),
  );
  throw new RllmError('CAPABILITY_MISSING', lines.join(' '), { details: { faults } });
}

/** Clip bounds that an engine has built in cannot be set to anything else. */
function fixedBoundFaults({ algorithm }: RllmConfig, engine: EngineProfile): readonly SettingFault[] {
  const roles = ['', ...Object.keys(algorithm.lossFnMap), ...Object.keys(algorithm.estimatorMap)];
  const faults = new Map<string, SettingFault>();
  for (const role of roles) {
    const { fn, config } = lossCall(lossOfRole(role, algorithm));
    const profile = engine.losses[fn];
    if (profile?.fixedConfig !== true) continue;
    for (const [key, value] of Object.entries(config)) {
      const fixed = profile.config[key];
      if (value === fixed) continue;
      const path = `algorithm.lossConfig.${CONFIG_FIELDS[key] ?? key}`;
      const message = `the engine "${engine.name}" has ${fixed} built in for ${fn}, not ${value}`;
      faults.set(path, { path, message, expected: String(fixed) });
    }
  }
  return [...faults.values()];
}

const CONFIG_FIELDS: Readonly<Record<string, string>> = {
  clip_low_threshold: 'clipLowThreshold',
  clip_high_threshold: 'clipHighThreshold',
};
