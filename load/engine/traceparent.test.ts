import { expect, test } from 'vitest';

import { newTraceparent, traceIdOf } from './traceparent.ts';

test('each request begins a trace of its own, which is sampled', () => {
  const all = Array.from({ length: 1_000 }, newTraceparent);
  // W3C Trace Context, section 3.2.2: version, trace-id, parent-id, trace-flags.
  expect(all.filter((value) => !/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/.test(value))).toEqual([]);
  expect(new Set(all.map(traceIdOf)).size).toBe(all.length);
  expect(all.every((value) => value.startsWith(`00-${traceIdOf(value)}-`))).toBe(true);
});
