/** A value that survives `JSON.stringify` and `JSON.parse` unchanged. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** Metric name → finite number. The names are those of rLLM, see the glossary in `docs/metrics.md`. */
export type Metrics = Record<string, number>;

/** How the numbers that many rollouts gave one metric become one number; whoever gives them says so. */
export type MetricRule = 'mean' | 'sum' | 'min' | 'max';
