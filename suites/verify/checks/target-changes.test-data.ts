import { TransportError } from '../../target/index.ts';
import {
  readQuantity,
  type TargetChange,
  type ScriptedCall,
  type ScriptedKey,
  type ScriptedReply,
  type Rules,
  type ScriptedWindow,
} from './scripted-target.test-data.ts';

/** A client without limits, for requests whose key is not looked at. */
const STRANGER: ScriptedKey = {
  secret: 'stranger',
  perMinute: 100_000,
  perDay: 1_000_000,
  usedToday: 0,
  revoked: false,
};

/** A request without a key is served. */
export const withoutKey: TargetChange = ({ authenticate }) => ({
  authenticate: (call) => (call.authorization.length === 0 ? STRANGER : authenticate(call)),
});

/** Any key will do. */
export const withAnyKey: TargetChange = ({ authenticate }) => ({
  authenticate: (call) => (call.authorization.length === 0 ? undefined : (authenticate(call) ?? STRANGER)),
});

/** A good key will do under any scheme, or under none. */
export const withAnyScheme: TargetChange = (_rules, { clients }) => ({
  authenticate: ({ authorization: [value = ''] }) => clients.get(/\S+$/.exec(value)?.[0] ?? ''),
});

/** Replies that fit are others. */
export function rewriting(
  fits: (reply: ScriptedReply, call: ScriptedCall, client: ScriptedKey | undefined) => boolean,
  change: (reply: ScriptedReply, call: ScriptedCall) => Partial<ScriptedReply>,
): TargetChange {
  return ({ reply: plain }) => ({
    reply: (original, call, client) => {
      const reply = plain(original, call, client);
      return fits(reply, call, client) ? { ...reply, ...change(reply, call) } : reply;
    },
  });
}

/** Requests that fit are never answered. @param seconds how long that is waited for, each time */
export function silentFor(fits: (call: ScriptedCall) => boolean, seconds = 10): TargetChange {
  return ({ reply: plain }) => ({
    reply: (original, call, client) => {
      if (fits(call)) {
        throw new TransportError('nothing came', 'HEAD_TIMEOUT', seconds * 1_000);
      }
      return plain(original, call, client);
    },
  });
}

/** The connection is closed instead of a reply that fits. */
export function closing(fits: (status: number, call: ScriptedCall) => boolean): TargetChange {
  return rewriting(
    ({ status }, call) => fits(status, call),
    () => {
      throw new TransportError('other side closed', 'UND_ERR_SOCKET');
    },
  );
}

/** The status of what should be a 429. */
export function answering429With(status: number): TargetChange {
  return rewriting(
    (reply) => reply.status === 429,
    () => ({ status }),
  );
}

/** A header field of every reply has that value; `null` leaves it out. */
export function withField(
  name: string,
  value: string | null,
  fits: Parameters<typeof rewriting>[0] = () => true,
) {
  return rewriting(fits, ({ headers }) => ({
    headers: headers.flatMap((field) =>
      field[0] !== name ? [field] : value === null ? [] : [[name, value] as const],
    ),
  }));
}

/** The text of every body is another. */
export function withText(pattern: RegExp, replacement: string): TargetChange {
  return rewriting(
    () => true,
    ({ body }) => ({ body: body.replaceAll(pattern, replacement) }),
  );
}

/** What is refused with one of these is carried out all the same. */
export function carriedOutThough(...statuses: readonly number[]): TargetChange {
  return ({ reply: plain }, world) => ({
    reply: (reply, call, client) => {
      const [, petId = ''] = /^\/inventory\/([^/]+)$/.exec(call.path) ?? [];
      const item = world.pets.get(petId);
      if (item !== undefined && statuses.includes(reply.status)) {
        world.pets.set(petId, { ...item, quantity: readQuantity(call.body) ?? 0 });
      }
      return plain(reply, call, client);
    },
  });
}

/** From the given 429 of a client on, whatever it asks for is answered 403. */
export function shutOutAfter(refusals: number): TargetChange {
  const seen = new Map<ScriptedKey | undefined, number>();
  return rewriting(
    ({ status }, _call, client) => {
      const before = seen.get(client) ?? 0;
      seen.set(client, before + Number(status === 429));
      return before >= refusals;
    },
    () => ({ status: 403 }),
  );
}

/** A window grants so many requests more than it should, or fewer. */
export function granting(
  more: number,
  window: ScriptedWindow = 'minute',
  fits: (client: ScriptedKey) => boolean = () => true,
) {
  return ({ grants }: Rules): Partial<Rules> => ({
    grants: (client, name) => grants(client, name) + (name === window && fits(client) ? more : 0),
  });
}

export function lasting(seconds: number, window: ScriptedWindow = 'minute') {
  return ({ windowSeconds }: Rules): Partial<Rules> => ({
    windowSeconds: (name, client) => (name === window ? seconds : windowSeconds(name, client)),
  });
}
