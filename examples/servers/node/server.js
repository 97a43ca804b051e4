// The Petstore Inventory Service and its control contract, on Hono: plain JavaScript, Node.js 22 or later.
//
//   npm install hono @hono/node-server
//   PORT=8080 CONTROL_PORT=9090 node server.js       (without them, any free ports)
//   npx stockcheck verify http://127.0.0.1:8080/v1 --key free=free-Maple-7Hq2 --control http://127.0.0.1:9090
//
// To give your own service the control contract, keep "The clock" and "The control contract" as they are, and
// let them act on your own keys, counters and inventory. Start the control contract in test builds only.
import { randomUUID } from 'node:crypto';

import { serve } from '@hono/node-server';
import { Hono } from 'hono';

// ---- The clock. Whatever the service derives from time has to ask this one, which can be moved.

let advancedSeconds = 0;

/** Unix seconds, with fractions. */
function now() {
  return Date.now() / 1000 + advancedSeconds;
}

// ---- Keys and their limits

const PLANS = {
  free: { perMinute: 60, perDay: 1_000 },
  pro: { perMinute: 300, perDay: 10_000 },
  business: { perMinute: 1_000, perDay: 100_000 },
  enterprise: { perMinute: 2_000, perDay: 200_000 },
};

/** A minute or a day of a key. It begins with the first request after the last one has ended. */
class Window {
  remaining = 0;
  endsAt = 0;

  constructor(limit, seconds) {
    this.limit = limit;
    this.seconds = seconds;
  }

  renew(time) {
    if (time >= this.endsAt) {
      this.remaining = this.limit;
      this.endsAt = time + this.seconds;
    }
  }
}

function newClient({ perMinute, perDay }) {
  return { minute: new Window(perMinute, 60), day: new Window(perDay, 86_400) };
}

/** The window that leaves fewer requests, or that ends later if both leave as many. */
function tighterWindow({ minute, day }, time) {
  minute.renew(time);
  day.renew(time);
  const isDayTighter =
    day.remaining < minute.remaining || (day.remaining === minute.remaining && day.endsAt > minute.endsAt);
  return isDayTighter ? day : minute;
}

// ---- What the service starts with, and what a reset puts back

/** The client of each key. */
let clients;
/** The item of each pet. A petId is a BigInt, since it can be wider than a number is exact. */
let inventory;

function seed() {
  clients = new Map(Object.entries(PLANS).map(([plan, limits]) => [`${plan}-Maple-7Hq2`, newClient(limits)]));
  stock([
    { petId: 1n, quantity: 12, status: 'available' },
    { petId: 2n, quantity: 3, status: 'pending' },
    { petId: 3n, quantity: 0, status: 'sold' },
    { petId: 9_007_199_254_740_993n, quantity: 7, status: 'available' },
  ]);
}

function stock(items) {
  inventory = new Map(items.map((item) => [item.petId, item]));
}

seed();

// ---- JSON in which each petId has every digit

function parseItems(text) {
  return JSON.parse(text, (name, value, { source }) => (name === 'petId' ? BigInt(source) : value));
}

function toJson(value) {
  return JSON.stringify(value, (_name, member) =>
    typeof member === 'bigint' ? JSON.rawJSON(`${member}`) : member,
  );
}

// ---- The service

// Not strict: /v1/inventory/ is /v1/inventory.
const service = new Hono({ strict: false });

// This comes before every route: each response has the three headers, and each request with a key counts.
// A request without a key is told what a new Free key would be.
service.use(async (c, next) => {
  const [, key] = /^Bearer +(\S+)$/i.exec(c.req.header('Authorization') ?? '') ?? [];
  const known = clients.get(key);
  const client = known ?? newClient(PLANS.free);
  const time = now();
  const window = tighterWindow(client, time);
  const isAccepted = known !== undefined && window.remaining > 0;
  if (isAccepted) {
    client.minute.remaining -= 1;
    client.day.remaining -= 1;
  }
  c.header('X-RateLimit-Limit', `${window.limit}`);
  c.header('X-RateLimit-Remaining', `${window.remaining}`);
  c.header('X-RateLimit-Reset', `${Math.ceil(window.endsAt)}`);
  if (isAccepted) {
    return next();
  }
  if (known === undefined) {
    c.header('WWW-Authenticate', 'Bearer');
    return refuse(c, 401, 'unauthorized', 'A valid API key is required as a bearer token.');
  }
  c.header('Retry-After', `${Math.ceil(window.endsAt - time)}`);
  return refuse(c, 429, 'rate_limited', `The limit of ${window.limit} requests is used up.`);
});

service.get('/v1/inventory', (c) => sendJson(c, [...inventory.values()]));

service.patch('/v1/inventory/:petId', async (c) => {
  const quantity = readQuantity(await c.req.text());
  if (quantity === undefined) {
    return refuse(c, 400, 'invalid_quantity', 'quantity has to be an integer from 0.');
  }
  const petId = c.req.param('petId');
  const item = /^\d+$/.test(petId) ? inventory.get(BigInt(petId)) : undefined;
  if (item === undefined) {
    return refuse(c, 404, 'pet_not_found', 'No such pet is in the inventory.');
  }
  item.quantity = quantity;
  return sendJson(c, item);
});

// The specification does not show the shapes of these two.
service.get('/v1/pets/:petId', (c) => c.json({}));
service.get('/v1/store/orders', (c) => c.json([]));

service.all('/v1/inventory', (c) => refuseMethod(c, 'GET'));
service.all('/v1/inventory/:petId', (c) => refuseMethod(c, 'PATCH'));
service.all('/v1/pets/:petId', (c) => refuseMethod(c, 'GET'));
service.all('/v1/store/orders', (c) => refuseMethod(c, 'GET'));
service.notFound((c) => refuse(c, 404, 'not_found', 'There is no such path.'));

function readQuantity(text) {
  try {
    const { quantity } = JSON.parse(text);
    return Number.isSafeInteger(quantity) && quantity >= 0 ? quantity : undefined;
  } catch {
    return undefined;
  }
}

function sendJson(c, value) {
  return c.body(toJson(value), 200, { 'Content-Type': 'application/json' });
}

function refuse(c, status, code, message) {
  return c.json({ code, message, status }, status);
}

function refuseMethod(c, allowed) {
  c.header('Allow', allowed);
  return refuse(c, 405, 'method_not_allowed', `This path takes ${allowed} only.`);
}

// ---- The control contract. A call that you do not offer is left out of the capabilities, and answered 404.

const control = new Hono();

control.get('/', (c) => c.json({ capabilities: ['reset', 'keys', 'clock', 'inventory'], now: now() }));

control.post('/reset', (c) => {
  seed();
  return c.body(null, 204);
});

control.post('/keys', async (c) => {
  const { plan, usedToday = 0, ...limits } = await c.req.json();
  if (!Object.hasOwn(PLANS, plan)) {
    return refuse(c, 400, 'unknown_plan', `There is no plan ${plan}.`);
  }
  const key = `${plan}-${randomUUID()}`;
  const client = newClient({ ...PLANS[plan], ...limits });
  client.day.renew(now());
  client.day.remaining -= usedToday;
  clients.set(key, client);
  return c.json({ key }, 201);
});

control.delete('/keys/:key', (c) => c.body(null, clients.delete(c.req.param('key')) ? 204 : 404));

control.post('/clock', async (c) => {
  const { advanceSeconds } = await c.req.json();
  if (!(advanceSeconds >= 0)) {
    return refuse(c, 400, 'invalid_advance', 'advanceSeconds has to be a number from 0.');
  }
  advancedSeconds += advanceSeconds;
  return c.json({ now: now() });
});

control.put('/inventory', async (c) => {
  stock(parseItems(await c.req.text()));
  return c.body(null, 204);
});

// ---- Both listen on this machine only.

function listen({ fetch }, port) {
  return new Promise((resolve) => {
    serve({ fetch, port: Number(port), hostname: '127.0.0.1' }, (address) => resolve(address.port));
  });
}

const port = await listen(service, process.env.PORT ?? 0);
const controlPort = await listen(control, process.env.CONTROL_PORT ?? 0);
console.log(`listening on http://127.0.0.1:${port}/v1, control http://127.0.0.1:${controlPort}`);
