import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { FREE_ON_RESUME, LENGTH_OF_RUN } from '../../src/trainer/index.js';

test('docs/runs.md lists exactly the settings that may change when a run is resumed', () => {
  const text = readFileSync(new URL('../../docs/runs.md', import.meta.url), 'utf8');
  const resuming = text.slice(text.indexOf('## Resuming'), text.indexOf('## Stopping'));
  const listed = [...resuming.matchAll(/^\| `([\w.]+)` \|/gm)].map(([, setting]) => setting);
  expect(listed).toEqual([...FREE_ON_RESUME, ...LENGTH_OF_RUN]);
});
