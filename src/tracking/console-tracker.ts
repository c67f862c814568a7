import type { TrackerDefinition, TrackerRecord } from './tracker.js';

declare module '../config/names.js' {
  interface TrackerNames {
    console: true;
  }
}

/** Numbers that a person follows from step to step; the rest is in `metrics.jsonl`. */
const KEY_NUMBERS = [
  /^reward\/.+\/mean$/,
  /^batch\/solve_rate$/,
  /^progress\/done_frac$/,
  /^val\/.+\/pass@\d+$/,
  /^time\/(step_s|testing)$/,
];

/** Prints a plain line per record: `step:12 - reward/agent/mean:0.625 - …`, as rLLM's console logger does, key numbers only. */
export const consoleTracker: TrackerDefinition = {
  name: 'console',
  summary: 'prints a line of key numbers per step and per validation',
  create: ({ print }) => ({
    name: 'console',
    log(record) {
      print(consoleLine(record));
    },
    finish(status) {
      print(`run ${status}`);
    },
  }),
};

function consoleLine({ step, kind, metrics }: TrackerRecord): string {
  const shown = Object.entries(metrics).filter(([key]) => KEY_NUMBERS.some((pattern) => pattern.test(key)));
  const numbers = shown.map(([key, value]) => `${key}:${Number(value.toPrecision(4))}`);
  return [`step:${step}${kind === 'val' ? ' (validation)' : ''}`, ...numbers].join(' - ');
}
