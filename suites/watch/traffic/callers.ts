import type { Plan, PlanLimits } from '../../../contract/plans.ts';
import { headerValues } from '../../../contract/rate-limit-headers.ts';
import type { HeaderField } from '../../../contract/verdict.ts';
import type { Credential } from '../../oracle/index.ts';

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
}

/** Who sends traffic: their keys, by labels that may be shown. */
export interface Callers {
  /** What a request presents, and the key in it, if there is one that can be read. */
  readonly identify: (headers: readonly HeaderField[]) => {
    readonly credential: Credential;
    readonly key: SeenKey | null;
  };
}

interface CallersOptions {
  readonly described: readonly PlanKey[];
  /** Has the label stand for the key from now on. */
  readonly hide: (secret: string, label: string) => void;
  /** Takes each key once, before it is identified for the first time. */
  readonly onKey: (key: SeenKey) => void;
  /** Whether the recorder may have left the Authorization field out. */
  readonly withoutAuthorization: boolean;
}

const SCHEME = 'Bearer ';

export function meetCallers({ described, hide, onKey, withoutAuthorization }: CallersOptions): Callers {
  const keys = new Map<string, SeenKey>();
  let undescribed = 0;
  for (const { key, label } of described) {
    hide(key, label);
  }
  const seenKey = (secret: string): SeenKey => {
    const known = keys.get(secret);
    if (known !== undefined) {
      return known;
    }
    const said = described.find(({ key }) => key === secret) ?? null;
    undescribed += said === null ? 1 : 0;
    const key = { label: said?.label ?? `key#${undescribed}`, described: said, isConfirmed: false };
    keys.set(secret, key);
    hide(secret, key.label);
    onKey(key);
    return key;
  };
  return {
    identify: (headers) => {
      const [value, ...others] = headerValues(headers, 'Authorization');
      if (value === undefined) {
        const credential: Credential = withoutAuthorization
          ? { kind: 'open', key: null }
          : { kind: 'missing' };
        return { credential, key: null };
      }
      const isPlain = value.startsWith(SCHEME) && value.length > SCHEME.length && others.length === 0;
      if (!isPlain) {
        return { credential: { kind: 'open', key: null }, key: null };
      }
      const key = seenKey(value.slice(SCHEME.length));
      // Nobody says that a key is valid until the service does.
      return { credential: { kind: key.isConfirmed ? 'valid' : 'open', key: key.label }, key };
    },
  };
}
