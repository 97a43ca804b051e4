import { hash } from 'node:crypto';

import { BENCH_KEY } from './protocol.ts';

const KNOWN = new Map([[hash('sha256', BENCH_KEY), BENCH_KEY]]);

/** The key of a bearer Authorization field, looked up by its digest; `undefined` if it is not known. */
export function findKey(authorization: string | undefined): string | undefined {
  const token = /^bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
  return token === undefined ? undefined : KNOWN.get(hash('sha256', token));
}
