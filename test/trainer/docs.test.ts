import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { FREE_ON_RESUME, LENGTH_OF_RUN } from '../../src/trainer/index.js';

const text = readFileSync(new URL('../../docs/runs.md', import.meta.url), 'utf8');
const resuming = text.slice(text.indexOf('## Resuming'), text.indexOf('## Stopping'));
const rows = [...resuming.matchAll(/^\| `([\w.]+)` \| (.*?) ?\|$/gm)];

test('docs/runs.md lists exactly the settings that may change when a run is resumed', () => {
  expect(rows.map(([, setting]) => setting)).toEqual([...FREE_ON_RESUME, ...LENGTH_OF_RUN]);
});

test('docs/runs.md says of all data that its rows may not change', () => {
  const notes = new Map(rows.map(([, setting, note]) => [setting, note]));
  expect(notes.get('data.train')).toContain('its rows may not change');
  expect(notes.get('data.val')).toContain('Likewise');
});
