import type { Alteration } from '../alterations/alteration.ts';
import { admitAlso } from '../alterations/authentication.ts';
import { credentialsOf } from '../alterations/requests.ts';
import type { Fault } from './fault.ts';

/**
 * Takes a key out of credentials that are not `Bearer KEY`.
 * @param read finds the key in the value of the Authorization field
 */
function admitCredentials(read: (credentials: string) => string | undefined): Alteration {
  return admitAlso((parts) => (request) => {
    const key = read(credentialsOf(request) ?? '');
    return key === undefined ? undefined : parts.keys.find(key);
  });
}

function afterScheme(pattern: RegExp): (credentials: string) => string | undefined {
  return (credentials) => pattern.exec(credentials)?.[1];
}

/** User name of Basic credentials (RFC 7617, section 2). */
function readUserName(credentials: string): string | undefined {
  const encoded = /^basic +(\S+)$/i.exec(credentials)?.[1];
  return encoded === undefined ? undefined : /^([^:]*):/.exec(Buffer.from(encoded, 'base64').toString())?.[1];
}

export const BEARER_SCHEME_FAULTS: readonly Fault[] = [
  {
    id: 'basic-user-name',
    title: 'A key is accepted as the user name of Basic authentication',
    breaks: 'bearer-scheme',
    alter: admitCredentials(readUserName),
  },
  {
    id: 'any-scheme',
    title: 'A key is accepted under any scheme',
    breaks: 'bearer-scheme',
    alter: admitCredentials(afterScheme(/^\S+ +(\S+)$/)),
  },
  {
    id: 'scheme-with-prefix-bearer',
    title: 'A scheme that begins with Bearer is accepted as Bearer',
    breaks: 'bearer-scheme',
    alter: admitCredentials(afterScheme(/^bearer\S* +(\S+)$/i)),
  },
  {
    id: 'scheme-anywhere-before-the-key',
    title: 'Bearer is accepted anywhere in front of the key',
    breaks: 'bearer-scheme',
    alter: admitCredentials(afterScheme(/bearer +(\S+)$/i)),
  },
  {
    id: 'scheme-with-suffix-bearer',
    title: 'A scheme that ends with Bearer is accepted as Bearer',
    breaks: 'bearer-scheme',
    alter: admitCredentials(afterScheme(/^\S+bearer +(\S+)$/i)),
  },
  {
    id: 'scheme-behind-another',
    title: 'Bearer is accepted after another scheme',
    breaks: 'bearer-scheme',
    alter: admitCredentials(afterScheme(/^\S+ +bearer +(\S+)$/i)),
  },
  {
    id: 'scheme-not-compared-beside-bearer',
    title: 'The last word is taken as the key if the field contains the word Bearer',
    breaks: 'bearer-scheme',
    alter: admitCredentials((credentials) =>
      credentials.toLowerCase().includes('bearer') ? /(\S+)$/.exec(credentials)?.[1] : undefined,
    ),
  },
  {
    id: 'scheme-next-to-key',
    title: 'A key is accepted directly after the word Bearer, without a space',
    breaks: 'bearer-scheme',
    alter: admitCredentials(afterScheme(/^bearer(\S+)$/i)),
  },
  {
    id: 'bare-key',
    title: 'A key is accepted without a scheme',
    breaks: 'bearer-scheme',
    alter: admitCredentials(afterScheme(/^(\S+)$/)),
  },
];
