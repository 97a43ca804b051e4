import type { KeyRecord, KeyStore } from './key-store.ts';
import type { Connection, ServiceRequest } from './messages.ts';

/** Says whose request it is; section "Authentication". */
export type Authenticator = (request: ServiceRequest, keys: KeyStore) => KeyRecord | 'missing' | 'invalid';

interface Remembered {
  readonly credentials: string;
  readonly record: KeyRecord;
  readonly version: number;
}

// RFC 6750, section 2.1; the scheme in any letter-case (RFC 9110, section 11.1).
const BEARER = /^bearer +(\S+)$/i;

/** Bearer authentication with exactly one Authorization field. */
export function createAuthenticator(): Authenticator {
  // A value is compared only with what came over the same connection, so the timing tells its sender nothing new.
  const remembered = new WeakMap<Connection, Remembered>();

  return ({ headers, connection }, keys) => {
    const credentials = readCredentials(headers);
    if (typeof credentials !== 'string') {
      return credentials === undefined ? 'missing' : 'invalid';
    }
    const last = remembered.get(connection);
    const version = keys.version();
    if (last !== undefined && last.version === version && last.credentials === credentials) {
      return last.record;
    }
    const key = keyIn(credentials);
    const record = key === undefined ? undefined : keys.find(key);
    if (record === undefined) {
      return 'invalid';
    }
    remembered.set(connection, { credentials, record, version });
    return record;
  };
}

/** The key that a request carries, or `undefined` if it carries none in the one way that is accepted. */
export function readKey({ headers }: Pick<ServiceRequest, 'headers'>): string | undefined {
  const credentials = readCredentials(headers);
  return typeof credentials === 'string' ? keyIn(credentials) : undefined;
}

function keyIn(credentials: string): string | undefined {
  return BEARER.exec(credentials)?.[1];
}

/** The value of the Authorization field; `null` if there are several. */
function readCredentials(headers: readonly string[]): string | null | undefined {
  let credentials: string | undefined;
  for (let index = 0; index < headers.length; index += 2) {
    const name = headers[index];
    if (name?.length === 13 && name.toLowerCase() === 'authorization') {
      if (credentials !== undefined) {
        return null;
      }
      credentials = headers[index + 1];
    }
  }
  return credentials;
}
