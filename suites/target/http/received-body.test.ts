import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { decodeContent } from './received-body.ts';

const MEGABYTE = 1024 * 1024;

const CODINGS = [
  ['gzip', gzipSync],
  ['x-gzip', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
  ['zstd', zstdCompressSync],
] as const;

describe.each(CODINGS)('%s', (coding, encode) => {
  const fields = [['Content-Encoding', coding]] as const;

  test('is undone', () => {
    expect(decodeContent(encode('[]'), fields, 2)?.toString()).toBe('[]');
  });

  test('is undone if it is long', () => {
    const long = Buffer.from(
      Array.from({ length: 100_000 }, (_, index) => Math.imul(index ** 2, 40_503) >>> 16),
    );
    expect(decodeContent(encode(long), fields, MEGABYTE)?.equals(long)).toBe(true);
  });

  test('is not undone beyond the longest body', () => {
    expect(decodeContent(encode(Buffer.alloc(2 * MEGABYTE)), fields, MEGABYTE)).toBeNull();
  });
});

test('several codings are undone from the last to the first, in one field or in several', () => {
  const body = brotliCompressSync(gzipSync(gzipSync('[]')));
  expect(decodeContent(body, [['content-encoding', 'gzip, GZIP , br']], MEGABYTE)?.toString()).toBe('[]');
  const fields = ['gzip', 'gzip', 'br'].map((coding) => ['Content-Encoding', coding] as const);
  expect(decodeContent(body, fields, MEGABYTE)?.toString()).toBe('[]');
});

test.each(['gzip', 'deflate', 'br', 'unknown', 'identity'])(
  'a body that is not in %s comes as it is',
  (coding) => {
    const body = Buffer.from('[]');
    expect(decodeContent(body, [['Content-Encoding', coding]], MEGABYTE)).toBe(body);
  },
);

test.each([
  ['gzip', '[]', 'gzip'],
  ['gzip', '', ''],
  ['unknown', '[]', '[]'],
  ['identity', '[]', '[]'],
])('what claims to be in %s and holds %j comes as %j if misnamed is told', (coding, text, shown) => {
  const headers = [['Content-Encoding', coding]] as const;
  const decoded = decodeContent(Buffer.from(text), headers, MEGABYTE, (codings) =>
    Buffer.from(codings.join()),
  );
  expect(decoded?.toString()).toBe(shown);
});

test.each([
  ['an unknown coding', 'gzip, unknown'],
  ['a coding that it is not in', 'br'],
  ['more codings than anyone needs', 'gzip, gzip, gzip, gzip, gzip'],
])('a body in %s comes as it is', (_, codings) => {
  const body = gzipSync('[]');
  expect(decodeContent(body, [['Content-Encoding', codings]], MEGABYTE)).toBe(body);
});
