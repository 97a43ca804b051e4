import { describe, expect, test } from 'vitest';

import { credentialVariants, type CredentialVariant } from '../../fixtures/corpora/index.ts';
import { readCredential, type Credential, type KnownSecret, type Presented } from '../oracle/index.ts';

type InvalidKey = Extract<Credential, { readonly kind: 'invalid' }>['requirement'];

const GOOD = 'free-Amber-Otter-q7RtVx2LkM';
const SECRETS: ReadonlyMap<string, KnownSecret> = new Map<string, KnownSecret>([
  [GOOD, { label: 'free#1', state: 'valid' }],
  ['pro-Delta-Lynx-m5XsQa6HvR', { label: 'pro#1', state: 'valid' }],
  ['revoked-Grove-Raven-y3HmDu9ZbF', { label: 'free#2', state: 'revoked' }],
  ['doubtful-Finch-Heron-w4NzPc8JdS', { label: 'free#3', state: 'doubtful' }],
]);

const read = (authorization: readonly string[], elsewhere: Presented['elsewhere'] = ['/inventory']) =>
  readCredential({ authorization, elsewhere }, SECRETS);

/** By value nobody can tell in which way a key was altered. */
function readingsOf({ reading, isMalformed }: CredentialVariant): readonly Credential[] {
  const invalid = (...requirements: readonly InvalidKey[]): readonly Credential[] =>
    requirements.map((requirement) =>
      isMalformed === true ? { kind: 'invalid', requirement, isMalformed } : { kind: 'invalid', requirement },
    );
  switch (reading.requirement) {
    case 'missing-key':
      return [{ kind: 'missing' }];
    case 'unknown-key':
      return invalid('unknown-key', 'altered-key');
    case 'altered-key':
      return invalid(reading.requirement);
    case 'bearer-scheme':
      return [{ kind: 'invalid', requirement: 'bearer-scheme', holds: 'free#1' }];
    case 'bearer-any-case':
      return [{ kind: 'open', key: 'free#1', isOnlyLetterCase: true }];
    default:
      return [{ kind: 'open', key: 'free#1' }];
  }
}

describe.each([GOOD, 'k12', 'sk~live+a/-._~+/b==', '123456789012345678901234', 'aB3-xY9_'])(
  'each spelling of the corpus with key %s',
  (key) => {
    const secrets = new Map([[key, { label: 'free#1', state: 'valid' } as const]]);
    const variants = credentialVariants(key, [key]);

    test.each(variants.map((variant) => [variant.name, variant] as const))(
      '%s is read as the corpus does',
      (_name, variant) => {
        const credential = readCredential({ authorization: variant.authorization, elsewhere: [] }, secrets);
        expect(readingsOf(variant)).toContainEqual(credential);
      },
    );
  },
);

describe('a key', () => {
  test('is valid, revoked, or one of which that is not known', () => {
    expect(read([`Bearer ${GOOD}`])).toEqual({ kind: 'valid', key: 'free#1' });
    expect(read(['Bearer revoked-Grove-Raven-y3HmDu9ZbF'])).toEqual({
      kind: 'invalid',
      requirement: 'revoked-key',
    });
    expect(read(['Bearer doubtful-Finch-Heron-w4NzPc8JdS'])).toEqual({ kind: 'open', key: 'free#3' });
  });

  test('that is revoked is none in any spelling', () => {
    expect(read(['bearer  revoked-Grove-Raven-y3HmDu9ZbF'])).toMatchObject({
      kind: 'invalid',
      requirement: 'revoked-key',
    });
  });

  test('may stand elsewhere, if nobody says that it is looked for', () => {
    expect(read([], [`/inventory?api_key=${GOOD}`])).toEqual({ kind: 'open', key: 'free#1' });
    expect(read(['Bearer nobody'], ['/inventory', GOOD])).toEqual({ kind: 'open', key: 'free#1' });
    expect(read([`Bearer ${GOOD}`], [GOOD])).toEqual({ kind: 'valid', key: 'free#1' });
  });

  test('of few characters without its last one may be another key', () => {
    const secrets = new Map([['key1', { label: 'free#1', state: 'valid' } as const]]);
    expect(readCredential({ authorization: ['Bearer key'], elsewhere: [] }, secrets)).toEqual({
      kind: 'open',
      key: null,
    });
  });
});
