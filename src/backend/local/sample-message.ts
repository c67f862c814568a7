import type { SampleRequest, SampleResult } from './sampler.js';

/**
 * Sample requests as columns. Hundreds of small objects cost more to pass between threads than to sample; typed arrays cross as plain memory.
 */
export interface SampleRequestColumns {
  readonly ids: Int32Array;
  /** All prompts, one after another. */
  readonly prompts: Int32Array;
  readonly promptLengths: Int32Array;
  readonly maxTokens: Int32Array;
  readonly temperatures: Float64Array;
  readonly topPs: Float64Array;
  readonly paths: readonly string[];
  /** By index of the request; most have none. */
  readonly stops: ReadonlyMap<number, readonly string[]>;
}

/** Sample results as columns. */
export interface SampleResultColumns {
  readonly ids: Int32Array;
  /** All completions, one after another. */
  readonly tokens: Int32Array;
  readonly logprobs: Float64Array;
  readonly lengths: Int32Array;
  /** Indices into `FINISH_REASONS`. */
  readonly finishReasons: Int32Array;
  readonly weightVersions: Int32Array;
}

const FINISH_REASONS: readonly SampleResult['finishReason'][] = ['stop', 'length', 'abort'];

export function packRequests(requests: readonly SampleRequest[]): SampleRequestColumns {
  const stops = new Map<number, readonly string[]>();
  for (const [i, { stop }] of requests.entries()) if (stop.length > 0) stops.set(i, stop);
  return {
    ids: Int32Array.from(requests, ({ id }) => id),
    prompts: Int32Array.from(requests.flatMap(({ prompt }) => prompt)),
    promptLengths: Int32Array.from(requests, ({ prompt }) => prompt.length),
    maxTokens: Int32Array.from(requests, ({ maxTokens }) => maxTokens),
    temperatures: Float64Array.from(requests, ({ temperature }) => temperature),
    topPs: Float64Array.from(requests, ({ topP }) => topP),
    paths: requests.map(({ path }) => path),
    stops,
  };
}

export function unpackRequests(columns: SampleRequestColumns): SampleRequest[] {
  let start = 0;
  return columns.paths.map((path, i) => {
    const end = start + (columns.promptLengths[i] as number);
    const prompt = [...columns.prompts.subarray(start, end)];
    start = end;
    return {
      id: columns.ids[i] as number,
      prompt,
      maxTokens: columns.maxTokens[i] as number,
      temperature: columns.temperatures[i] as number,
      topP: columns.topPs[i] as number,
      path,
      stop: columns.stops.get(i) ?? [],
    };
  });
}

export function packResults(results: readonly SampleResult[]): SampleResultColumns {
  return {
    ids: Int32Array.from(results, ({ id }) => id),
    tokens: Int32Array.from(results.flatMap(({ tokens }) => tokens)),
    logprobs: Float64Array.from(results.flatMap(({ logprobs }) => logprobs)),
    lengths: Int32Array.from(results, ({ tokens }) => tokens.length),
    finishReasons: Int32Array.from(results, ({ finishReason }) => FINISH_REASONS.indexOf(finishReason)),
    weightVersions: Int32Array.from(results, ({ weightVersion }) => weightVersion),
  };
}

export function unpackResults(columns: SampleResultColumns): SampleResult[] {
  let start = 0;
  return Array.from(columns.lengths, (length, i) => {
    const end = start + length;
    const tokens = [...columns.tokens.subarray(start, end)];
    const logprobs = [...columns.logprobs.subarray(start, end)];
    start = end;
    return {
      id: columns.ids[i] as number,
      tokens,
      logprobs,
      finishReason: FINISH_REASONS[columns.finishReasons[i] as number] ?? 'abort',
      weightVersion: columns.weightVersions[i] as number,
    };
  });
}
