import type { Plan, PlanLimits } from '../../../contract/plans.ts';
import { headerValues } from '../../../contract/rate-limit-headers.ts';
import { readCredential, type Credential, type KnownSecret } from '../../oracle/index.ts';
import { maySignIn } from './private-fields.ts';
import type { TrafficRequest } from './traffic-exchange.ts';

/** A key of which the user says to which plan it belongs. */
export interface PlanKey {
  readonly key: string;
  readonly label: string;
  readonly plan: Plan;
  readonly limits: PlanLimits | null;
}

/** A key that was seen in traffic; others may use it as well. */
export interface SeenKey {
  readonly label: string;
  readonly described: PlanKey | null;
  /** Whether the last answer to it showed that the service knows it. */
  isConfirmed: boolean;
  /** Requests without a response yet. */
  underWay: number;
}

export interface Caller {
  readonly credential: Credential;
  readonly key: SeenKey | null;
}

interface CallersOptions {
  readonly described: readonly PlanKey[];
  readonly redactor: {
    /** Has the label stand for the key from now on. */
    readonly hide: (secret: string, label: string) => void;
    readonly forget: (secret: string) => void;
  };
  /** Takes each key once, before it is identified for the first time. */
  readonly onKey: (key: SeenKey) => void;
  /** Takes the label of a key that is as unknown from now on as if it had never come. */
  readonly onForgotten: (label: string) => void;
  /** Whether the recorder may have left the Authorization field of a request out. */
  readonly mayLackAuthorization: (request: Pick<TrafficRequest, 'headers'>) => boolean;
}

const SCHEME = 'Bearer ';
// A stream that does not end brings new tokens for ever.
const MOST_KEYS = 1_000;

export type Callers = ReturnType<typeof meetCallers>;

/** The senders of traffic: their keys, by labels that may be shown. */
export function meetCallers(options: CallersOptions) {
  const { mayLackAuthorization } = options;
  const { met, confirm, seenKey, keys, known } = keepKeys(options);
  return {
    /** How many keys were presented so far. */
    met,
    /** Takes whether the last answer to a key showed that the service knows it. */
    confirm,
    /** What a request presents, and the key in it, if there is one that can be read. */
    identify: (request: Pick<TrafficRequest, 'url' | 'headers'>): Caller => {
      const [value, ...others] = headerValues(request.headers, 'Authorization');
      // A recorder may have left out the key, or all fields.
      if (value === undefined || isWithoutKey(value)) {
        return {
          credential:
            mayLackAuthorization(request) || request.headers.length === 0 || maySignIn(request)
              ? OPEN
              : MISSING,
          key: null,
        };
      }
      if (others.length > 0) {
        return { credential: OPEN, key: null };
      }
      const token = value.startsWith(SCHEME) ? value.slice(SCHEME.length) : '';
      const odd = keys.has(token) ? null : readOdd(value, known);
      if (odd !== null) {
        return { credential: odd.kind === 'open' || !maySignIn(request) ? odd : OPEN, key: null };
      }
      const key = seenKey(token);
      // Nobody says that a key is valid until the service does.
      return { credential: { kind: key.isConfirmed ? 'valid' : 'open', key: key.label }, key };
    },
  };
}

/** Keeps the keys that were presented; of too many that nobody described the oldest are forgotten. */
function keepKeys({ described, redactor, onKey, onForgotten }: CallersOptions) {
  // In the order in which they were presented last.
  const keys = new Map<string, SeenKey>();
  const secrets = new WeakMap<SeenKey, string>();
  const describedBySecret = new Map(described.map((one) => [one.key, one]));
  // Keys that the service knows, as somebody said or it showed.
  const known = new Map<string, KnownSecret>();
  let undescribed = 0;
  let forgotten = 0;
  for (const { key, label } of described) {
    redactor.hide(key, label);
    known.set(key, { label, state: 'valid' });
  }
  const forgetOne = (): void => {
    const oldest = keys
      .entries()
      .find(([, { described: said, underWay }]) => said === null && underWay === 0);
    if (oldest !== undefined) {
      const [secret, { label }] = oldest;
      keys.delete(secret);
      known.delete(secret);
      redactor.forget(secret);
      onForgotten(label);
      forgotten += 1;
    }
  };
  const meet = (secret: string): SeenKey => {
    const said = describedBySecret.get(secret) ?? null;
    undescribed += said === null ? 1 : 0;
    const key: SeenKey = {
      label: said?.label ?? `key#${undescribed}`,
      described: said,
      isConfirmed: false,
      underWay: 0,
    };
    secrets.set(key, secret);
    redactor.hide(secret, key.label);
    onKey(key);
    if (keys.size - described.length >= MOST_KEYS) {
      forgetOne();
    }
    return key;
  };
  return {
    keys,
    known,
    met: () => keys.size + forgotten,
    seenKey: (secret: string): SeenKey => {
      const key = keys.get(secret) ?? meet(secret);
      keys.delete(secret);
      keys.set(secret, key);
      return key;
    },
    confirm: (key: SeenKey, isConfirmed: boolean): void => {
      const secret = secrets.get(key) ?? '';
      key.isConfirmed = isConfirmed;
      if (key.described === null && keys.has(secret)) {
        if (isConfirmed && secret.length >= SHORTEST_TELLING_KEY) {
          known.set(secret, { label: key.label, state: 'valid' });
        } else {
          known.delete(secret);
        }
      }
    },
  };
}

/** Whether an Authorization field holds its scheme at most. */
export function isWithoutKey(value: string): boolean {
  return /^(?:bearer)?\s*$/i.test(value);
}

const OPEN: Credential = { kind: 'open', key: null };
const MISSING: Credential = { kind: 'missing' };

// A shorter one may stand in another field by chance.
const SHORTEST_TELLING_KEY = 8;

/**
 * What a field presents that is not simply `Bearer` and a token; `null` if it is. A token that nobody knows may be a key,
 * but whatever is a key is none without its scheme or under another one.
 */
function readOdd(value: string, secrets: ReadonlyMap<string, KnownSecret>): Credential | null {
  const credential = readCredential({ authorization: [value], elsewhere: [] }, secrets);
  const isPlain = value.startsWith(SCHEME) && value.length > SCHEME.length;
  switch (credential.kind) {
    case 'missing':
      return credential;
    case 'invalid':
      return credential.requirement === 'bearer-scheme' ? credential : isPlain ? null : OPEN;
    case 'open':
      return credential;
    case 'valid':
      return null;
  }
}
