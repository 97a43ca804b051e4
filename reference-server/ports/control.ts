import type { JsonValue } from '../../contract/json/index.ts';
import type { VirtualClock } from '../service/clock.ts';
import { readAdvance, readInventory, readKeyOrder, type OrderProblem } from './control-orders.ts';
import type { InventoryStore } from '../service/inventory-store.ts';
import { decodeJson } from '../service/inventory-update.ts';
import type { KeyStore } from '../service/key-store.ts';
import type { MessageRefusal, Service, ServiceRequest, ServiceResponse } from '../service/messages.ts';
import type { RateLimiter } from '../service/rate-limiter.ts';
import { decodeSegment } from '../service/router.ts';

/** What the control contract acts on. */
export interface ControlParts {
  readonly clock: VirtualClock;
  readonly keys: KeyStore;
  readonly limiter: RateLimiter;
  readonly inventory: InventoryStore;
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
    'POST /keys': async (request) => {
      const order = await readOrder(request, readKeyOrder);
      if ('problem' in order) {
        return refuseOrder(order);
      }
      const record = keys.issue(order.plan, order.limits);
      if (order.usedToday > 0) {
        limiter.countEarlier(record, order.usedToday, clock.now());
      }
      return respondWith(201, { key: record.key });
    },
    'POST /clock': async (request) => {
      const order = await readOrder(request, readAdvance);
      if ('problem' in order) {
        return refuseOrder(order);
      }
      clock.advance(order.advanceSeconds);
      return respondWith(200, { now: clock.now() });
    },
    'PUT /inventory': async (request) => {
      const order = await readOrder(request, readInventory);
      if ('problem' in order) {
        return refuseOrder(order);
      }
      inventory.replace(order.items);
      return noContent();
    },
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

async function readOrder<Order>(
  request: ServiceRequest,
  read: (body: JsonValue | undefined) => Order | OrderProblem,
): Promise<Order | OrderProblem> {
  const reading = await request.readBody();
  const body = reading.state === 'complete' ? decodeJson(reading.bytes) : undefined;
  return body === undefined ? { problem: 'the body is not JSON in UTF-8, or too large' } : read(body);
}

function refuseOrder({ problem }: OrderProblem): ServiceResponse {
  return refuse({ status: 400, code: 'invalid_order', message: problem });
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
