import { expect, test } from 'vitest';

import type { HeaderField } from '../../../contract/verdict.ts';
import { CLIENT_KEY, judgeSample } from '../records/record.test-data.ts';
import { redirects } from './redirects.ts';

const arrived = (target: string, headers: readonly HeaderField[], body = '') => ({
  method: 'GET',
  target,
  headers,
  body: Buffer.from(body),
});

const redirected = (...elsewhere: readonly ReturnType<typeof arrived>[]) =>
  judgeSample(redirects, { exchanges: [{ status: 307 }], elsewhere }).observed;

test.each([
  ['does not follow', []],
  ['follows without the key', [arrived('/v1/inventory', [['Accept', '*/*']])]],
  ['takes the key along', [arrived('/v1/inventory', [['authorization', `Bearer ${CLIENT_KEY}`]])]],
  ['takes the key along', [arrived(`/v1/inventory?key=${CLIENT_KEY}`, [])]],
  ['takes the key along', [arrived('/v1/inventory', [], `{"key":"${CLIENT_KEY}"}`)]],
  ['takes the key along', [arrived('/', []), arrived('/', [['X-Key', CLIENT_KEY]])]],
] as const)('sees %s', (value, elsewhere) => {
  expect(redirected(...elsewhere)).toEqual([['client-keeps-key-from-others', value]]);
});

test('sees nothing without a redirect', () => {
  expect(judgeSample(redirects, {}).observed).toEqual([]);
});
