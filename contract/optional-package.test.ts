import { expect, test } from 'vitest';

import { ConfigurationError } from './configuration-error.ts';
import { importOptional } from './optional-package.ts';

/** What Node throws for a package that is not there. */
function notFound(name: string): Error {
  return Object.assign(new Error(`Cannot find package '${name}' imported from /a/b.js`), {
    code: 'ERR_MODULE_NOT_FOUND',
  });
}

test('a package that is there is given', async () => {
  expect(await importOptional('--fleet', 'ioredis', async () => 7)).toBe(7);
});

test('a package that is missing is named in one line, with what needs it and how to install it', async () => {
  const missing = importOptional('--fleet', 'ioredis', () => Promise.reject(notFound('ioredis')));
  await expect(missing).rejects.toThrow(ConfigurationError);
  await expect(missing).rejects.toThrow(
    /^--fleet needs the package ioredis\. It .* npm install ioredis@\^6\.0\.0$/,
  );
});

test.each([
  ['another package is missing', notFound('semver')],
  ['it fails in another way', new Error("'ioredis' is broken")],
])('if %s, that is the error', async (_circumstance, error) => {
  await expect(importOptional('--fleet', 'ioredis', () => Promise.reject(error))).rejects.toBe(error);
});
