import { credentialVariants, type CredentialVariant } from '../../../fixtures/corpora/index.ts';
import { inAcceptedForms, whyNoForms } from '../provoking/accepted-forms.ts';
import type { Check } from '../check.ts';
import {
  isAccepted,
  type Exchange,
  type RequestMessage,
  type Key,
  secondsToWait,
} from '../../oracle/index.ts';
import { anyPet, fetchListing, LISTING_JUDGES, Undecided, type CheckContext } from '../check-context.ts';
import {
  type Credentials,
  distinctQuantity,
  type Pet,
  getPet,
  listInventory,
  listOrders,
  undocumented,
  updateInventory,
  updateWithBody,
} from '../../target/index.ts';
import { judgeRefusedWrite } from '../provoking/refused-write.ts';
import { checkAfter } from '../survey.ts';
import { acceptedForms } from './observations.ts';

const NO_KEY: Credentials = { authorization: [], labels: [] };
const UNKNOWN_KEY = 'stockcheck-never-issued-Q7dRk2VxN0aYwL5e';
const UNKNOWN: Credentials = {
  authorization: [`Bearer ${UNKNOWN_KEY}`],
  labels: ['Bearer [key that was never issued]'],
};

type Refusal =
  | 'missing-key'
  | 'unknown-key'
  | 'altered-key'
  | 'revoked-key'
  | 'bearer-scheme'
  | 'every-operation-authenticates';

/** Sends a request that has to be answered 401, and judges that. */
type JudgeRefused = (
  ids: readonly Refusal[],
  message: RequestMessage,
  credentials: Credentials,
  how: string,
  isMalformed?: boolean,
) => Promise<void>;

/** @param granted takes the updates that were not refused, so that nobody says they were */
function judgeRefusedOf(context: CheckContext, granted: Exchange[] = []): JudgeRefused {
  const sendAsStranger = strangerOf(context);
  return async (ids, message, credentials, how, isMalformed = false) => {
    let exchange: Exchange;
    try {
      exchange = await sendAsStranger(message, credentials);
    } catch (error) {
      for (const id of ids.slice(0, 1)) {
        await context.judgeDropped(id, error);
      }
      return;
    }
    if (exchange.request.operation === 'updateInventory' && isAccepted(exchange)) {
      granted.push(exchange);
    }
    const { status } = exchange.response;
    for (const id of ids) {
      context.judge(
        id,
        status === 401 || (isMalformed && status === 400),
        `${message.method} ${message.path} ${how} was answered ${status}, not 401.`,
        exchange,
      );
    }
  };
}

// Other checks that wait as well may use up what strangers are granted.
const WAITS_OF_STRANGERS = 40;

/** A target may limit strangers, too: one that has waited is to be told 401. It is waited for until that helps nothing. */
function strangerOf(
  context: CheckContext,
): (message: RequestMessage, credentials: Credentials) => Promise<Exchange> {
  let waits = context.virtualTime ? WAITS_OF_STRANGERS : 1;
  const most = waits;
  return async (message, credentials) => {
    let exchange = await context.send(message, credentials);
    for (let left = waits; left > 0; left -= 1) {
      const wait = exchange.response.status === 429 ? secondsToWait(exchange, context.clock) : undefined;
      if (wait === undefined) {
        return exchange;
      }
      await context.sleep(wait + 0.01, 'Retry-After of requests without a valid key');
      exchange = await context.send(message, credentials);
    }
    waits = exchange.response.status === 429 ? 0 : most;
    return exchange;
  };
}

/** No key, and a key that was never issued. */
async function judgeWithoutKey(judgeRefused: JudgeRefused, message: RequestMessage): Promise<void> {
  const both = ['every-operation-authenticates'] as const;
  await judgeRefused(['missing-key', ...both], message, NO_KEY, 'without a key');
  await judgeRefused(['unknown-key', ...both], message, UNKNOWN, 'with an unknown key');
}

/** A request without a key, and one with an unknown key, on each operation that only reads. */
export const keylessReads: Check = {
  id: 'keyless-reads',
  title: 'Every operation that reads demands a key',
  judges: [
    'missing-key',
    'unknown-key',
    'every-operation-authenticates',
    'error-code',
    'error-message',
    'error-status',
  ],
  needs: { profile: 'safe', keys: [] },
  anonymousRequests: 10,
  run: async (context) => {
    const judgeRefused = judgeRefusedOf(context);
    for (const message of [listInventory(), getPet(anyPet(context)), listOrders()]) {
      await judgeWithoutKey(judgeRefused, message);
    }
  },
};

const MOST_FORMS = 12;

/** A spelling that reaches an operation with a key does not reach it without one. */
export const keylessForms = checkAfter({
  id: 'keyless-forms',
  after: acceptedForms,
  title: 'No spelling of a path lets a request without a valid key through',
  judges: ['every-operation-authenticates'],
  needs: { profile: 'full', keys: [], pets: 1, worksWithoutPets: true },
  anonymousRequests: 2 * MOST_FORMS,
  run: async (context, accepted) => {
    if ('unknown' in accepted) {
      context.skip('every-operation-authenticates', whyNoForms(accepted));
    }
    for (const message of inAcceptedForms(accepted, context.pets[0]).slice(0, MOST_FORMS)) {
      for (const credentials of [NO_KEY, UNKNOWN]) {
        const exchange = await context.send(message, credentials);
        context.judge(
          'every-operation-authenticates',
          !isAccepted(exchange),
          `${message.method} ${message.path} without a valid key was answered ${exchange.response.status}.`,
          exchange,
        );
      }
    }
  },
});

/** Updates with every sort of bad key, none of which may change anything. */
export const keylessUpdates: Check = {
  id: 'keyless-updates',
  title: 'An update demands a key, and without one changes nothing',
  judges: [
    'missing-key',
    'unknown-key',
    'bearer-scheme',
    'every-operation-authenticates',
    'refused-changes-nothing',
    'authentication-first',
  ],
  alsoJudges: LISTING_JUDGES,
  needs: { profile: 'standard', keys: [{ plan: 'any', use: 'share', requests: 3 }], pets: 1 },
  anonymousRequests: 6,
  run: async (context) => {
    const pet = context.pet();
    const attempted = distinctQuantity(pet);
    const message = updateInventory(pet.petId, attempted);
    const granted: Exchange[] = [];
    const judgeRefused = judgeRefusedOf(context, granted);
    await judgeWithoutKey(judgeRefused, message);
    const bare: Credentials = {
      authorization: [context.key().secret],
      labels: [`${context.key().label} without a scheme`],
    };
    await judgeRefused(['bearer-scheme'], message, bare, 'with a good key and no scheme');
    const badTwice = await context.send(updateWithBody('9223372036854775807', '{"quantity":'), UNKNOWN);
    context.judge(
      'authentication-first',
      badTwice.response.status === 401,
      `An update with an unknown key, an unknown pet and a broken body was answered ${badTwice.response.status}, not 401.`,
      badTwice,
    );
    await judgeUntouchedPet(context, context.key(), {
      pet,
      attempted,
      cause: 'An update without a valid key',
      granted,
    });
  },
};

function variantsFor(context: CheckContext, key: Key): readonly CredentialVariant[] {
  return credentialVariants(key.secret, context.facts.knownSecrets);
}

interface BadVariant extends CredentialVariant {
  readonly refusal: Refusal;
}

async function judgeVariant(
  judgeRefused: JudgeRefused,
  key: Key,
  variant: BadVariant,
  message: RequestMessage,
): Promise<void> {
  const { refusal, name, isMalformed } = variant;
  await judgeRefused([refusal], message, asCredentials(variant, key), `(${name})`, isMalformed);
}

/** What must be refused, as far as no key that is issued meanwhile happens to be the same. */
function* badVariants(context: CheckContext, key: Key): Generator<BadVariant> {
  const isGood = (value: string): boolean =>
    context.facts.knownSecrets.has(value.replace(/^Bearer (?=.)/, ''));
  const bad = variantsFor(context, key).filter(({ reading }) => reading.level === 'must');
  for (const variant of bad.slice(0, VARIANTS)) {
    const { requirement } = variant.reading;
    if (isRefusal(requirement) && (requirement === 'bearer-scheme' || !variant.authorization.some(isGood))) {
      yield { ...variant, refusal: requirement };
    }
  }
}

function asCredentials(variant: CredentialVariant, key: Key): Credentials {
  return {
    authorization: variant.authorization,
    labels: variant.authorization.map(() => `[${key.label}: ${variant.name}]`),
  };
}

function isRefusal(id: string): id is Refusal {
  return ['missing-key', 'unknown-key', 'altered-key', 'bearer-scheme'].includes(id);
}

const VARIANTS = 42;

/** A good key, altered or under another scheme, is no key. */
export const alteredKeys: Check = {
  id: 'altered-keys',
  title: 'An altered key, or a good key under another scheme, is refused',
  judges: ['missing-key', 'unknown-key', 'altered-key', 'bearer-scheme'],
  alsoJudges: LISTING_JUDGES,
  needs: { profile: 'safe', keys: [{ plan: 'any', use: 'share', requests: 1 }] },
  anonymousRequests: VARIANTS,
  run: async (context) => {
    const key = context.key();
    // A target that remembers a connection's key would let the others through.
    await fetchListing(context, key);
    const judgeRefused = judgeRefusedOf(context);
    for (const variant of badVariants(context, key)) {
      await judgeVariant(judgeRefused, key, variant, listInventory());
    }
  },
};

/** The same on the other operations, where a target may authenticate on its own. */
export const alteredKeysElsewhere: Check = {
  id: 'altered-keys-elsewhere',
  title: 'An altered key is refused by every operation',
  judges: ['missing-key', 'unknown-key', 'altered-key', 'bearer-scheme', 'refused-changes-nothing'],
  alsoJudges: LISTING_JUDGES,
  needs: { profile: 'full', control: ['keys'], keys: [{ plan: 'any', use: 'share', requests: 2 }], pets: 1 },
  anonymousRequests: 3 * VARIANTS + 4,
  run: async (context) => {
    const key = context.key();
    const pet = context.pet();
    await fetchListing(context, key);
    const attempted = distinctQuantity(pet);
    const messages = [updateInventory(pet.petId, attempted), getPet(pet.petId), listOrders()];
    const granted: Exchange[] = [];
    const judgeRefused = judgeRefusedOf(context, granted);
    for (const variant of badVariants(context, key)) {
      for (const message of messages) {
        await judgeVariant(judgeRefused, key, variant, message);
      }
    }
    await judgeUntouchedPet(context, key, {
      pet,
      attempted,
      cause: 'An update with an altered key',
      granted,
    });
  },
};

const REPEATS = 16;

/** Refusals often enough for a fault that shows in one of fifteen. */
export const manyKeylessRequests: Check = {
  id: 'many-keyless-requests',
  title: 'Each of many requests without a valid key is refused in the same way',
  judges: ['missing-key', 'unknown-key', 'error-code', 'error-message', 'error-status'],
  needs: { profile: 'full', control: ['keys'], keys: [] },
  anonymousRequests: 3 * REPEATS,
  run: async (context) => {
    const judgeRefused = judgeRefusedOf(context);
    for (let repeat = 0; repeat < REPEATS; repeat += 1) {
      const petId = anyPet(context);
      await judgeRefused(['missing-key'], listInventory(), NO_KEY, 'without a key');
      await judgeRefused(
        ['unknown-key'],
        updateWithBody(petId, '{"quantity":1}'),
        UNKNOWN,
        'with an unknown key',
      );
      await judgeRefused(
        ['missing-key'],
        repeat % 2 === 0 ? getPet(petId) : listOrders(),
        NO_KEY,
        'without a key',
      );
    }
  },
};

/** @returns the updates that were not refused */
async function judgeRevoked(context: CheckContext, credentials: Credentials): Promise<readonly Exchange[]> {
  const [pet] = context.pets;
  const messages = [listInventory(), getPet(anyPet(context)), listOrders()];
  const update = pet === undefined ? [] : [updateInventory(pet.petId, distinctQuantity(pet))];
  const granted: Exchange[] = [];
  const judgeRefused = judgeRefusedOf(context, granted);
  for (const message of [...messages, ...update]) {
    await judgeRefused(['revoked-key'], message, credentials, 'with a revoked key');
  }
  return granted;
}

const USES = 2;
const LIST_SPELLINGS = ['/inventory/', '/inventory?x=1'].map((path) => undocumented('GET', path));
const USES_OF_REVOKED = 4 * USES + LIST_SPELLINGS.length;

/**
 * Uses a key in every way, since a target may remember one that it saw often.
 * @returns the other spellings of the list that it accepts
 */
async function useOften(
  context: CheckContext,
  key: Key,
  { petId, item }: Pet,
): Promise<readonly RequestMessage[]> {
  for (let use = 0; use < USES; use += 1) {
    await fetchListing(context, key);
    for (const message of [updateInventory(petId, item.quantity), getPet(petId), listOrders()]) {
      await context.send(message, { key });
    }
  }
  const accepted: RequestMessage[] = [];
  for (const message of LIST_SPELLINGS) {
    if (isAccepted(await context.send(message, { key }))) {
      accepted.push(message);
    }
  }
  return accepted;
}

/** A key that worked is revoked through the control URL, and works no more. */
export const keyRevokedNow: Check = {
  id: 'key-revoked-now',
  title: 'A key that is revoked is refused from then on, and changes nothing',
  judges: ['revoked-key', 'refused-changes-nothing'],
  alsoJudges: LISTING_JUDGES,
  needs: {
    profile: 'standard',
    control: ['keys'],
    keys: [
      { plan: 'free', use: 'share', requests: 2 },
      { plan: 'free', use: 'share', requests: USES_OF_REVOKED },
    ],
    pets: 1,
  },
  anonymousRequests: 8 + LIST_SPELLINGS.length,
  run: async (context) => {
    // The first key stays valid, since pets are put back with it.
    const [other, key] = context.keys.filter((leased) => leased !== null);
    const [pet] = context.pets;
    if (key === undefined || other === undefined || pet === undefined) {
      throw new Undecided('Two keys and a pet are needed.');
    }
    const spellings = await useOften(context, key, pet);
    await context.control?.revokeKey(key.secret);
    const revoked: Credentials = {
      authorization: [`Bearer ${key.secret}`],
      labels: [`Bearer [revoked ${key.label}]`],
    };
    const granted = await judgeRevoked(context, revoked);
    for (const message of spellings) {
      const exchange = await context.send(message, revoked);
      context.judge(
        'revoked-key',
        !isAccepted(exchange),
        `${message.method} ${message.path} with a revoked key was answered ${exchange.response.status}.`,
        exchange,
      );
    }
    await judgeUntouchedPet(context, other, {
      pet,
      attempted: distinctQuantity(pet),
      cause: 'An update with a revoked key',
      granted,
    });
  },
};

/** Judges that a pet still stands as it did after updates, if all of them were refused. */
async function judgeUntouchedPet(
  context: CheckContext,
  key: Key,
  {
    pet,
    attempted,
    cause,
    granted,
  }: { pet: Pet; attempted: number; cause: string; granted: readonly Exchange[] },
): Promise<void> {
  if (granted.length > 0) {
    return;
  }
  const { exchange } = await fetchListing(context, key);
  judgeRefusedWrite(context, { pet, attempted, listed: exchange, cause });
}

/** The configured keys that were revoked. */
export const revokedKeys: Check = {
  id: 'revoked-keys',
  title: 'The revoked keys of the configuration are refused',
  judges: ['revoked-key'],
  needs: { profile: 'safe', keys: [], revokedKey: true },
  anonymousRequests: 12,
  run: async (context) => {
    for (const [index, secret] of context.facts.revokedKeys.slice(0, 3).entries()) {
      await judgeRevoked(context, {
        authorization: [`Bearer ${secret}`],
        labels: [`Bearer revoked#${index + 1}`],
      });
    }
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
      if (variant.reading.level === 'should') {
        context.judge(
          'bearer-any-case',
          isAccepted(exchange),
          `"${variant.name}" was answered ${exchange.response.status}.`,
          exchange,
        );
      } else {
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
