import { type JsonValue, isJsonObject, type JsonObject } from '../../contract/json/index.ts';
import type { VirtualClock, ServiceParts } from '../service/service.ts';
import { decodeJson } from '../service/inventory-update.ts';
import type { MessageRefusal, Service, ServiceRequest, ServiceResponse } from '../service/messages.ts';
import { decodeSegment } from '../service/router.ts';
import { readInventoryItem, type InventoryItem } from '../../contract/inventory.ts';
import { PLANS, type Plan, type PlanLimits } from '../../contract/plans.ts';

/** What the control contract acts on. */
interface ControlParts extends Pick<ServiceParts, 'keys' | 'limiter' | 'inventory'> {
  readonly clock: VirtualClock;
}

type ControlHandler = (request: ServiceRequest) => ServiceResponse | Promise<ServiceResponse>;

const CAPABILITIES = ['reset', 'keys', 'clock', 'inventory'];

/** The control contract, with every capability. A reset leaves the clock where it is. */
export function createControl(parts: ControlParts): Service {
  const { clock, keys, limiter, inventory } = parts;

  const routes: Readonly<Record<string, ControlHandler>> = {
    'GET /': () => respondWith(200, { capabilities: CAPABILITIES, now: clock.now() }),
    'POST /reset': () => {
      keys.reset();
      limiter.reset();
      inventory.reset();
      return noContent();
    },
    'POST /keys': ordered(readKeyOrder, ({ plan, limits, usedToday }) => {
      const record = keys.issue(plan, limits);
      if (usedToday > 0) {
        limiter.countEarlier(record, usedToday, clock.now());
      }
      return respondWith(201, { key: record.key });
    }),
    'POST /clock': ordered(readAdvance, ({ advanceSeconds }) => {
      clock.advance(advanceSeconds);
      return respondWith(200, { now: clock.now() });
    }),
    'PUT /inventory': ordered(readInventory, ({ items }) => {
      inventory.replace(items);
      return noContent();
    }),
  };

  function revokeKey(segment: string): ServiceResponse {
    const key = decodeSegment(segment);
    return key !== undefined && keys.revoke(key)
      ? noContent()
      : refuse({ status: 404, code: 'key_not_found', message: 'No such key was issued.' });
  }

  return {
    respond: (request) => {
      const path = request.target.replace(/[?#].*$/s, '').replace(/(?<=.)\/$/, '');
      const handler = routes[`${request.method} ${path}`];
      if (handler !== undefined) {
        return handler(request);
      }
      const revoked = request.method === 'DELETE' ? /^\/keys\/([^/]+)$/.exec(path)?.[1] : undefined;
      return revoked === undefined
        ? refuse({ status: 404, code: 'not_found', message: 'The control contract has no such call.' })
        : revokeKey(revoked);
    },
    refuse,
  };
}

/** Carries an order out that stands in the body of a request. */
function ordered<Order extends object>(
  read: (body: JsonValue | undefined) => Order | OrderProblem,
  carryOut: (order: Order) => ServiceResponse,
): ControlHandler {
  return async (request) => {
    const reading = await request.readBody();
    const body = reading.state === 'complete' ? decodeJson(reading.bytes) : undefined;
    const order =
      body === undefined ? { problem: 'the body is not JSON in UTF-8, or too large' } : read(body);
    return 'problem' in order
      ? refuse({ status: 400, code: 'invalid_order', message: order.problem })
      : carryOut(order);
  };
}

function refuse({ status, code, message, headers = [] }: MessageRefusal): ServiceResponse {
  return respondWith(status, { code, message, status }, headers);
}

function respondWith(status: number, value: object, headers: readonly string[] = []): ServiceResponse {
  const body = Buffer.from(JSON.stringify(value));
  return {
    status,
    headers: ['Content-Type', 'application/json', 'Content-Length', `${body.byteLength}`, ...headers],
    body,
  };
}

function noContent(): ServiceResponse {
  return { status: 204, headers: [], body: '' };
}

/** A body of the control contract that is not as it should be; the message names the field. */
interface OrderProblem {
  readonly problem: string;
}

interface KeyOrder {
  readonly plan: Plan;
  readonly limits: Partial<PlanLimits>;
  /** Requests that count as made in the day window that begins now. */
  readonly usedToday: number;
}

// A hundred years: far beyond any test, and within what a Date can hold.
const MAXIMUM_ADVANCE_SECONDS = 3_155_760_000;

function readKeyOrder(body: JsonValue | undefined): KeyOrder | OrderProblem {
  const members = readMembers(body, ['plan', 'perMinute', 'perDay', 'usedToday']);
  if ('problem' in members) {
    return members;
  }
  const plan = PLANS.find((name) => name === members.object['plan']);
  if (plan === undefined) {
    return { problem: `plan is not one of ${PLANS.join(', ')}` };
  }
  const counts = [
    ['perMinute', 1],
    ['perDay', 1],
    ['usedToday', 0],
  ] as const;
  for (const [field, minimum] of counts) {
    const value = members.object[field];
    if (value !== undefined && !isCount(value, minimum)) {
      return { problem: `${field} is not an integer from ${minimum}` };
    }
  }
  const { perMinute, perDay, usedToday } = members.object;
  return {
    plan,
    limits: {
      ...(typeof perMinute === 'number' ? { perMinute } : {}),
      ...(typeof perDay === 'number' ? { perDay } : {}),
    },
    usedToday: typeof usedToday === 'number' ? usedToday : 0,
  };
}

function readAdvance(body: JsonValue | undefined): { readonly advanceSeconds: number } | OrderProblem {
  const members = readMembers(body, ['advanceSeconds']);
  if ('problem' in members) {
    return members;
  }
  const { advanceSeconds } = members.object;
  return typeof advanceSeconds === 'number' &&
    advanceSeconds >= 0 &&
    advanceSeconds <= MAXIMUM_ADVANCE_SECONDS
    ? { advanceSeconds }
    : { problem: `advanceSeconds is not a number from 0 to ${MAXIMUM_ADVANCE_SECONDS}` };
}

function readInventory(
  body: JsonValue | undefined,
): { readonly items: readonly InventoryItem[] } | OrderProblem {
  if (!Array.isArray(body)) {
    return { problem: 'the body is not a JSON array of InventoryItem objects' };
  }
  const items = new Map<bigint, InventoryItem>();
  for (const [index, value] of body.entries()) {
    const reading = readInventoryItem(value);
    if ('problems' in reading) {
      const problems = reading.problems.map(({ member, message }) => `[${index}].${member} ${message}`);
      return { problem: problems.join('; ') };
    }
    if (items.has(reading.item.petId)) {
      return { problem: `[${index}].petId ${reading.item.petId} stands there twice` };
    }
    items.set(reading.item.petId, reading.item);
  }
  return { items: [...items.values()] };
}

function readMembers(
  body: JsonValue | undefined,
  known: readonly string[],
): { readonly object: JsonObject } | OrderProblem {
  if (!isJsonObject(body)) {
    return { problem: 'the body is not a JSON object' };
  }
  const unknown = Object.keys(body).find((member) => !known.includes(member));
  return unknown === undefined ? { object: body } : { problem: `${unknown} is not a known field` };
}

function isCount(value: JsonValue, minimum: number): boolean {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= minimum;
}
