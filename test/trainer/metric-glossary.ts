import { readFileSync } from 'node:fs';

/** What the placeholders of `docs/metrics.md` stand for; `key` is filled in with the workflow's own metrics. */
const PLACEHOLDERS: Readonly<Record<string, string>> = {
  role: '[^/]+',
  component: '[^/]+',
  source: '[^/]+',
  reason: '[a-z_]+',
  k: '\\d+',
};

/** Rows of the glossary: the name as it is written, and a pattern of the metrics it stands for. */
export function glossaryRows(
  workflowKeys: readonly string[],
): readonly { readonly name: string; readonly pattern: RegExp }[] {
  const text = readFileSync(new URL('../../docs/metrics.md', import.meta.url), 'utf8');
  return [...text.matchAll(/^\| `([^`]+)` \|/gm)].map(([, name = '']) => {
    const source = name.split(/\{(\w+)\}/).map((part, i) => {
      if (i % 2 === 0) return escaped(part);
      return part === 'key' ? `(?:${workflowKeys.map(escaped).join('|')})` : (PLACEHOLDERS[part] ?? '');
    });
    return { name, pattern: new RegExp(`^${source.join('')}$`) };
  });
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
