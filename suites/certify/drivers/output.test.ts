import { expect, test } from 'vitest';

import { captureOutput, hideSecrets } from './output.ts';

const KEY = 'key-0123456789abcdef';

test('shows both streams, without terminal codes and keys', () => {
  const output = captureOutput();
  output.onStdout(Buffer.from('\u001B[31mred\u001B[0m\n'));
  output.onStderr(Buffer.from(`Authorization: Bearer ${KEY}`));
  expect(output.text([KEY])).toBe('--- stdout\nred\n--- stderr\nAuthorization: Bearer [key]\n');
});

test('is empty if nothing was written', () => {
  expect(captureOutput().text([KEY])).toBe('');
});

test('puts characters together that came in two chunks', () => {
  const output = captureOutput();
  const bytes = Buffer.from('猫\n');
  output.onStdout(bytes.subarray(0, 1));
  output.onStdout(bytes.subarray(1));
  expect(output.text([])).toBe('--- stdout\n猫\n');
});

test.each([5_000, 40_000, 3_000_000])(
  'keeps the beginning and the end of %i bytes, and says what was cut',
  (size) => {
    const output = captureOutput();
    const chunk = Buffer.from(`${'x'.repeat(999)}\n`);
    output.onStdout(Buffer.from('first\n'));
    for (let written = 0; written < size; written += chunk.length) {
      output.onStdout(chunk);
    }
    output.onStdout(Buffer.from('last\n'));
    const text = output.text([]);
    expect(text).toMatch(/^--- stdout\nfirst\nx/);
    expect(text).toMatch(/x\nlast\n$/);
    expect(text).toContain(`[… cut: ${(size + 11).toLocaleString('en')} bytes in all …]`);
    expect(text.length).toBeLessThan(4_200);
  },
);

test('shows no part of a key, wherever it was cut', () => {
  const output = captureOutput();
  output.onStdout(Buffer.from(`${KEY} `.repeat(5_000)));
  const text = output.text([KEY]).replaceAll('[key]', '');
  expect(text).not.toMatch(/key-\d/);
  const shown = text.replaceAll(/---.*|\[….*…\]/g, '');
  expect(shown).not.toMatch(/[0-9]/);
});

test('hides every secret, and takes an empty one for none', () => {
  expect(hideSecrets('a1 b2', ['a1', '', 'b2'])).toBe('[key] [key]');
});

test.each([
  ['Traceback:\n  File "x.py"\nValueError: no number\n', 'ValueError: no number'],
  ['throw new Error("x")\n\nError: no key\n    at main.js:1\n\nNode.js v24.21.0\n', 'Error: no key'],
  ['gone\n\n', 'gone'],
  ['', ''],
])('names the line of stderr that says why: %j', (text, line) => {
  const output = captureOutput();
  output.onStderr(Buffer.from(text));
  expect(output.errorLine([])).toBe(line);
});
