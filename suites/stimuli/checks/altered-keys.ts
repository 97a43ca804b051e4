import { credentialVariants, type CredentialVariant } from '../../../fixtures/corpora/index.ts';
import type { Check } from '../check.ts';
import { type RequestMessage, type Key } from '../../oracle/index.ts';
import { fetchListing, LISTING_JUDGES, type CheckContext } from '../check-context.ts';
import {
  type Credentials,
  distinctQuantity,
  getPet,
  listInventory,
  listOrders,
  undocumented,
  updateInventory,
} from '../../target/index.ts';
import { NO_KEY, listRefused, sendRefusedOf } from '../provoking/refused-key.ts';

function variantsFor(context: CheckContext, key: Key): readonly CredentialVariant[] {
  return credentialVariants(key.secret, context.facts.knownSecrets);
}

const REFUSALS = ['missing-key', 'unknown-key', 'altered-key', 'bearer-scheme'] as const;

/** What must be refused, except an altered key that happens to have been issued meanwhile. */
function* badVariants(context: CheckContext, key: Key): Generator<CredentialVariant> {
  const isGood = (value: string): boolean =>
    context.facts.knownSecrets.has(value.replace(/^Bearer (?=.)/, ''));
  const bad = variantsFor(context, key).filter(({ reading }) => reading.level === 'must');
  for (const variant of bad.slice(0, VARIANTS)) {
    if (variant.reading.requirement === 'bearer-scheme' || !variant.authorization.some(isGood)) {
      yield variant;
    }
  }
}

function asCredentials(variant: CredentialVariant, key: Key): Credentials {
  return {
    authorization: variant.authorization,
    labels: variant.authorization.map(() => `[${key.label}: ${variant.name}]`),
  };
}

const VARIANTS = 58;

/** A good key, altered or under another scheme, is no key. */
export const alteredKeys: Check = {
  id: 'altered-keys',
  title: 'An altered key, or a good key under another scheme, is refused',
  judges: REFUSALS,
  alsoJudges: LISTING_JUDGES,
  needs: { profile: 'safe', keys: [{ plan: 'any', use: 'share', requests: 1 }] },
  anonymousRequests: VARIANTS,
  run: async (context) => {
    const key = context.key();
    // A target that remembers a connection's key would let the others through.
    await fetchListing(context, key);
    const sendRefused = sendRefusedOf(context);
    for (const variant of badVariants(context, key)) {
      await sendRefused(listInventory(), asCredentials(variant, key));
    }
  },
};

/** The same on the other operations, each of which may authenticate in its own way. */
export const alteredKeysElsewhere: Check = {
  id: 'altered-keys-elsewhere',
  title: 'An altered key is refused by every operation',
  judges: [...REFUSALS, 'refused-changes-nothing'],
  alsoJudges: LISTING_JUDGES,
  needs: { profile: 'full', control: ['keys'], keys: [{ plan: 'any', use: 'share', requests: 2 }], pets: 1 },
  anonymousRequests: 3 * VARIANTS + 4,
  run: async (context) => {
    const key = context.key();
    const pet = context.pet();
    await fetchListing(context, key);
    const update = updateInventory(pet.petId, distinctQuantity(pet));
    const sendRefused = sendRefusedOf(context);
    for (const variant of badVariants(context, key)) {
      for (const message of [update, getPet(pet.petId), listOrders()]) {
        await sendRefused(message, asCredentials(variant, key));
      }
    }
    await listRefused(context, key, pet);
  },
};

const SPELLINGS = 24;

/** What RFC 9110 adds, and what is left open. */
export const credentialSpellings: Check = {
  id: 'credential-spellings',
  title: 'Other spellings of good credentials',
  judges: ['bearer-any-case', 'credential-spellings', 'key-elsewhere'],
  needs: { profile: 'safe', keys: [{ plan: 'any', use: 'spare', requests: SPELLINGS }] },
  anonymousRequests: 4,
  run: async (context) => {
    const key = context.key();
    const variants = variantsFor(context, key).filter(({ reading }) => reading.level !== 'must');
    for (const variant of variants.slice(0, SPELLINGS)) {
      const exchange = await context.send(listInventory(), { ...asCredentials(variant, key), spends: key });
      // What a good key is answered whose scheme is in other letters, the oracle judges.
      if (variant.reading.level !== 'should') {
        context.observe('credential-spellings', exchange.response.status, variant.name);
      }
    }
    const elsewhere: readonly (readonly [string, RequestMessage])[] = [
      ['query string', undocumented('GET', `/inventory?api_key=${encodeURIComponent(key.secret)}`)],
      ['X-API-Key', { ...undocumented('GET', '/inventory'), headers: [['X-API-Key', key.secret]] }],
    ];
    for (const [name, message] of elsewhere) {
      const exchange = await context.send(message, NO_KEY);
      context.observe('key-elsewhere', exchange.response.status, name);
    }
  },
};
