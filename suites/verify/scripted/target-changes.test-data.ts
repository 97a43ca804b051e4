import { TransportError } from '../../target/index.ts';
import {
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
