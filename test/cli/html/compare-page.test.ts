import { describe, expect, test } from 'vitest';
import { comparePage } from '../../../src/cli/html/compare-page.js';
import type { ComparisonReport, GradientStatistics } from '../../../src/compare/index.js';

const STATISTICS: GradientStatistics = {
  batches: 10,
  mean: [0.1, -0.1],
  bias: { value: 0.02, standardError: 0.01 },
  isBiased: false,
  normRatio: { value: 1.01, standardError: 0.02 },
  cosine: { value: 0.99, standardError: 0.01 },
  variance: { value: 0.5, standardError: 0.05 },
  noise: 3,
};

function column(label: string, advantages: readonly (number | null)[]) {
  const estimator = { name: label, summary: `<${label}>`, owner: 'o', scope: 'group' as const };
  return {
    label,
    estimator: { ...estimator, requires: [], perToken: false },
    options: {},
    advantages: [advantages.map((mean) => (mean === null ? null : { mean }))],
  };
}

const REPORT: ComparisonReport = {
  source: 'a </script> & "source"',
  notes: ['Step <1> is not saved.'],
  table: {
    groups: [{ groupId: '</script><b>', role: 'agent', rewards: [1, 0, null], lengths: [1, 2, 3] }],
    columns: [column('one', [1.5, -0.5, null]), column('two', [1, -1, 0]), column('huge', [1e6, 0, 0])],
    leftOut: [{ label: 'out', reasons: ['needs <this>'] }],
  },
  gradient: {
    bandit: { arms: [1, 0], groups: 2, rollouts: 4 },
    sample: { batches: 10, seed: 3 },
    trueNorm: 0.14,
    columns: [
      { label: 'one', statistics: STATISTICS },
      { label: 'zero', statistics: { ...STATISTICS, isBiased: true, cosine: null, noise: null } },
    ],
    leftOut: [],
  },
};

const page = comparePage(REPORT, 'LIBRARY', '1.2.3');

interface Config {
  readonly type: string;
  readonly data: {
    readonly datasets: readonly { readonly data: readonly unknown[]; readonly backgroundColor: unknown }[];
  };
  readonly options: { readonly scales: { readonly y: { readonly min: number; readonly max: number } } };
}

const configs = JSON.parse(
  /<script id="charts" type="application\/json">(.*?)<\/script>/s.exec(page)?.[1] ?? '{}',
) as Record<string, Config>;

describe('the page of a comparison', () => {
  test('needs nothing but itself', () => {
    expect(page).not.toMatch(/\b(?:src|href)=|@import|url\(/);
    expect(page).toContain("default-src 'none'");
    expect(page).toContain('<script>LIBRARY</script>');
  });

  test('shows names as they are and obeys none of them', () => {
    expect(page.match(/<\/script>/g)).toHaveLength(3);
    expect(page).toContain('a &lt;/script&gt; &amp; &quot;source&quot;');
    expect(page).toContain('&lt;/script&gt;&lt;b&gt;');
    expect(page).toContain('needs &lt;this&gt;');
  });

  test('has a plot for each estimator and each measure, and a place to draw it', () => {
    const ids = [...page.matchAll(/<canvas id="([^"]+)"/g)].map(([, id]) => id);
    expect(ids.sort()).toEqual(Object.keys(configs).sort());
    expect(ids).toHaveLength(3 + 4);
  });

  test('draws what trains, from reward to advantage', () => {
    expect(configs['advantage-0']?.data.datasets.map(({ data }) => data)).toEqual([
      [
        { x: 0, y: -0.5 },
        { x: 1, y: 1.5 },
      ],
    ]);
  });

  test('puts what fits on the same axes, and gives the rest axes of its own', () => {
    const bounds = [0, 1, 2].map((at) => configs[`advantage-${at}`]?.options.scales.y.max);
    expect(bounds).toEqual([2, 2, 2e6]);
    expect(page.match(/Its own scale/g)).toHaveLength(1);
  });

  test('marks biased estimators, and leaves out a bar that there is not', () => {
    expect(configs['gradient-1']?.data.datasets[1]?.backgroundColor).toEqual(['--series-1', '--series-2']);
    expect(configs['gradient-1']?.data.datasets[0]?.data).toEqual([
      [0, 0.04],
      [0, 0.04],
    ]);
    expect(configs['gradient-3']?.data.datasets[1]?.data).toEqual([3, null]);
  });

  test('has every number in a table too', () => {
    for (const text of ['1.500', '-0.500', '1.010 ± 0.020', '0.990 ± 0.010', '0.500 ± 0.050']) {
      expect(page).toContain(`<td>${text}</td>`);
    }
  });

  test('without a gradient has no part about it', () => {
    expect(comparePage({ ...REPORT, gradient: null }, 'LIBRARY', '1')).not.toContain('policy gradient');
  });
});
