import { expect, test } from 'vitest';

import { renderMarkdown } from '../markdown/document.ts';
import { SAMPLE_KILL_MATRIX } from '../model/sample-kill-matrix.test-data.ts';
import { renderTerminal } from '../terminal/document.ts';
import { killMatrixDocument } from './kill-matrix.ts';

const MATRIX = killMatrixDocument(SAMPLE_KILL_MATRIX);
const VERDICT = 'not proven: 1 of 2 faults caught by the requirement they break, 2.0 s';

test('a terminal lists the faults by requirement and what went wrong, and says the verdict first and last', () => {
  const text = renderTerminal(MATRIX, false);
  expect(text.startsWith(`✗ ${VERDICT}\n`)).toBe(true);
  expect(text.endsWith(`\n\n✗ ${VERDICT}\n`)).toBe(true);
  expect(text).toContain('\n\ncontent-type-json (1)\n  ✓ list-as-text\n');
  expect(text).toContain(
    'What went wrong (1)\n  ✗ list-as-object: not caught, breaks list-succeeds: The list is sent as an object\n',
  );
  expect(text).toMatch(/^ {2}All +2 +1 +1 +0 +0$/m);
  expect(text).toContain('of a requirement that the fault breaks: 1 of 1 (100.0 %)');
});

test('Markdown has the tally by area and what went wrong', () => {
  const text = renderMarkdown(MATRIX);
  expect(text).toMatch(/^# ✗ stockcheck: Not proven\n/);
  expect(text).toContain('| All | 2 | 1 | 1 | 0 | 0 |');
  expect(text).toContain('- ✗ **list-as-object**: not caught, breaks list-succeeds');
});
