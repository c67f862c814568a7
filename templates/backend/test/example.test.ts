import { testBackend } from 'rllm-sdk/testing';
import { describe, expect, test } from 'vitest';
import { exampleBackend } from '../src/index.js';

describe('what every backend must do', () => testBackend(exampleBackend));

test('an option that it does not know is refused', () => {
  const checked = exampleBackend.options['~standard'].validate({ replys: ['yes'] });
  expect(checked).toHaveProperty('issues');
});
