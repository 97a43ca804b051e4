import { MONITORS } from '../../oracle/index.ts';
import { noLosses } from './no-response.ts';
import { UNFOLLOWED } from './presence.ts';
import { openTurnstile } from './turnstile.ts';
import type { Wire } from './wire.ts';

/** Where a target's operations are. */
export interface TargetAddress {
  /** `http://HOST:PORT` */
  readonly origin: string;
  /** Path before the operations, such as `/v1`; empty where there is none. */
  readonly basePath: string;
}

/** @param target base URL of the service, with or without a slash at its end */
export function addressOf(target: string): TargetAddress {
  const { origin, pathname } = new URL(target);
  return { origin, basePath: pathname.replace(/\/$/, '') };
}

type Defaulted = 'monitors' | 'losses' | 'presence' | 'sender' | 'keys' | 'curl' | 'longBodies';

/** A wire that nothing has passed through yet, watched by all monitors. */
export function newWire(
  { origin, basePath, headers }: TargetAddress & { readonly headers: Wire['extraHeaders'] },
  parts: Omit<Wire, keyof TargetAddress | 'extraHeaders' | Defaulted> & Partial<Pick<Wire, Defaulted>>,
): Wire {
  return {
    origin,
    basePath,
    extraHeaders: headers,
    monitors: MONITORS,
    losses: noLosses(),
    presence: UNFOLLOWED,
    sender: null,
    keys: new Map(),
    curl: { control: null, options: [] },
    longBodies: openTurnstile(),
    ...parts,
  };
}
