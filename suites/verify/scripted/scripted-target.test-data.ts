import type { ErrorBody, InventoryItem } from '../../../contract/inventory.ts';
import {
  asInteger,
  isJsonObject,
  parseIfJson,
  stringifyJson,
  type ExactInteger,
  type JsonValue,
} from '../../../contract/json/index.ts';
import { DAY_SECONDS, MINUTE_SECONDS, PLAN_LIMITS, type PlanLimits } from '../../../contract/plans.ts';
import type { HeaderField } from '../../../contract/verdict.ts';
import { storeForChecks } from '../../../fixtures/corpora/index.ts';
import type { ControlClient } from '../../target/index.ts';

/** A request as the scripted target sees it; `path` has neither base path nor query. */
interface ScriptedCall {
  readonly method: string;
  readonly path: string;
  readonly authorization: readonly string[];
  readonly body: string;
}

interface ScriptedReply {
  readonly status: number;
  readonly headers: readonly HeaderField[];
  readonly body: string;
}

interface ScriptedKey extends PlanLimits {
  readonly secret: string;
  usedToday: number;
  revoked: boolean;
}

type ScriptedWindow = 'minute' | 'day';

/** What the target does, piece by piece; a test replaces the piece that is to be wrong. */
interface Rules {
  readonly authenticate: (call: ScriptedCall) => ScriptedKey | undefined;
  readonly grants: (client: ScriptedKey, window: ScriptedWindow) => number;
  readonly windowSeconds: (window: ScriptedWindow, client: ScriptedKey) => number;
  readonly retryAfter: (seconds: number) => number;
  /** From that request on after the first 429, for so long, with that status. */
  readonly ban: { readonly after: number; readonly seconds: number; readonly status: number } | null;
  /** The quantity that an update asks for, or `null` if it is to be refused. */
  readonly quantityOf: (call: ScriptedCall) => ExactInteger | null;
  readonly update: (item: InventoryItem, quantity: ExactInteger) => InventoryItem;
  readonly list: () => readonly InventoryItem[];
  /** The last word on any reply. */
  readonly reply: (reply: ScriptedReply, call: ScriptedCall) => ScriptedReply;
}

interface World {
  /** Unix seconds. */
  now: number;
  pets: Map<string, InventoryItem>;
  readonly clients: Map<string, ScriptedKey>;
}

/** What is wrong with a target. */
export type TargetChange = (rules: Rules, world: World) => Partial<Rules>;

interface Counter {
  readonly since: number;
  readonly used: number;
}

interface Refusals {
  readonly count: number;
  readonly until: number;
  readonly bannedUntil: number;
}

const UNKNOWN_LIMITS = { secret: '', ...PLAN_LIMITS.free, usedToday: 0, revoked: false };
const CONTENT_TYPE: HeaderField = ['Content-Type', 'application/json'];
const BASE_PATH = '/v1';

/** A service in memory that keeps to the specification, except where it is altered. */
export interface ScriptedTarget {
  readonly world: World;
  readonly control: ControlClient;
  readonly answer: (request: {
    readonly method: string;
    readonly path: string;
    readonly headers: readonly HeaderField[];
    readonly body: string | Uint8Array | null;
  }) => ScriptedReply;
}

export function scriptedTarget(alter: TargetChange = () => ({})): ScriptedTarget {
  const world: World = { now: 1_790_000_000, pets: stock(storeForChecks()), clients: new Map() };
  const plain = ordinaryRules(world);
  const rules: Rules = { ...plain, ...alter(plain, world) };
  const { headersOf, limit } = openLimiter(rules, world);
  return {
    world,
    control: controlOf(world),
    answer: ({ method, path, headers, body }) => {
      const call: ScriptedCall = {
        method,
        path: path.slice(BASE_PATH.length).split('?')[0] ?? '',
        authorization: headers.filter(([name]) => /^authorization$/i.test(name)).map(([, value]) => value),
        body: typeof body === 'string' ? body : Buffer.from(body ?? '').toString(),
      };
      const client = rules.authenticate(call);
      const limited = client === undefined ? null : limit(client);
      const reply =
        client === undefined
          ? problem(401, 'unauthorized', [['WWW-Authenticate', 'Bearer']])
          : (limited ?? serve(call, rules, world));
      const shown = limited === null ? headersOf(client ?? UNKNOWN_LIMITS) : [];
      return rules.reply({ ...reply, headers: [...shown, ...reply.headers] }, call);
    },
  };
}

/** Replies that fit are others. */
export function rewriting(
  fits: (reply: ScriptedReply, call: ScriptedCall) => boolean,
  change: (reply: ScriptedReply, call: ScriptedCall) => Partial<ScriptedReply>,
): TargetChange {
  return ({ reply: plain }) => ({
    reply: (original, call) => {
      const reply = plain(original, call);
      return fits(reply, call) ? { ...reply, ...change(reply, call) } : reply;
    },
  });
}

/** Counts what clients ask for, and refuses what goes beyond. */
function openLimiter(rules: Rules, world: World) {
  const counters = new Map<string, Counter>();
  const refusals = new Map<string, Refusals>();

  /** The window in which a client is now, without the request at hand. */
  const windowOf = (client: ScriptedKey, name: ScriptedWindow): Counter & { readonly end: number } => {
    const length = rules.windowSeconds(name, client);
    const found = counters.get(`${name} ${client.secret}`);
    const isOver = found === undefined || world.now >= found.since + length;
    const started = name === 'day' && found === undefined ? client.usedToday : 0;
    const { since, used } = isOver ? { since: world.now, used: started } : found;
    return { since, used, end: since + length };
  };

  const headersOf = (client: ScriptedKey, bannedUntil = 0): readonly HeaderField[] => {
    const [minute, day] = (['minute', 'day'] as const).map((name) => {
      const { used, end } = windowOf(client, name);
      const limit = name === 'minute' ? client.perMinute : client.perDay;
      return { limit, left: Math.max(0, limit - used), end };
    });
    const shown = (day?.left ?? 0) < (minute?.left ?? 0) ? day : minute;
    return [
      CONTENT_TYPE,
      ['Date', new Date(world.now * 1000).toUTCString()],
      ['X-RateLimit-Limit', String(shown?.limit)],
      ['X-RateLimit-Remaining', String(bannedUntil > world.now ? 0 : shown?.left)],
      ['X-RateLimit-Reset', String(Math.ceil(shown?.end ?? 0))],
    ];
  };

  const limit = (client: ScriptedKey): ScriptedReply | null => {
    const patience = refusals.get(client.secret) ?? { count: 0, until: 0, bannedUntil: 0 };
    const names = ['minute', 'day'] as const;
    const full = names.filter((name) => windowOf(client, name).used >= rules.grants(client, name));
    if (patience.bannedUntil > world.now) {
      return refusal(client, rules.ban?.status ?? 429, patience.bannedUntil);
    }
    if (full.length === 0) {
      for (const name of names) {
        const { since, used } = windowOf(client, name);
        counters.set(`${name} ${client.secret}`, { since, used: used + 1 });
      }
      return null;
    }
    const { end } = windowOf(client, full.includes('day') ? 'day' : 'minute');
    const count = world.now < patience.until ? patience.count + 1 : 0;
    const isBanned = rules.ban !== null && count >= rules.ban.after;
    const bannedUntil = isBanned ? world.now + (rules.ban?.seconds ?? 0) : 0;
    refusals.set(client.secret, { count, until: end, bannedUntil });
    return isBanned ? refusal(client, rules.ban?.status ?? 429, bannedUntil) : refusal(client, 429, end);
  };

  const refusal = (client: ScriptedKey, status: number, until: number): ScriptedReply => {
    const wait = String(rules.retryAfter(Math.ceil(until - world.now)));
    const { headers, body } = problem(status, 'limited');
    return { status, body, headers: [...headersOf(client, until), ['Retry-After', wait], ...headers] };
  };

  return { headersOf, limit };
}

/** Carries out what was neither refused for its key nor for its rate. */
function serve(call: ScriptedCall, rules: Rules, { pets }: World): ScriptedReply {
  const update = (item: InventoryItem, quantity: ExactInteger | null): ScriptedReply =>
    quantity === null ? problem(400, 'invalid') : show(rules.update(item, quantity));
  const ofPet = (petId: string, act: (item: InventoryItem) => ScriptedReply): ScriptedReply => {
    const item = pets.get(petId);
    return item === undefined ? problem(404, 'unknown') : act(item);
  };
  const routes: readonly (readonly [string, RegExp, (petId: string) => ScriptedReply])[] = [
    ['GET', /^\/inventory$/, () => show(rules.list())],
    ['PATCH', /^\/inventory\/([^/]+)$/, (id) => ofPet(id, (item) => update(item, rules.quantityOf(call)))],
    ['GET', /^\/pets\/([^/]+)$/, (id) => ofPet(id, show)],
    ['GET', /^\/store\/orders$/, () => show([])],
  ];
  const [method, pattern, act] = routes.find(([, route]) => route.test(call.path)) ?? [];
  if (method === undefined) {
    return problem(404, 'route');
  }
  return method === call.method && act !== undefined
    ? act(pattern?.exec(call.path)?.[1] ?? '')
    : problem(405, 'method', [['Allow', method]]);
}

function show(value: JsonValue): ScriptedReply {
  return { status: 200, headers: [], body: stringifyJson(value) };
}

function ordinaryRules(world: World): Rules {
  return {
    authenticate: ({ authorization: [value = '', ...more] }) => {
      const client =
        more.length > 0 ? undefined : world.clients.get(/^bearer +(\S+)$/i.exec(value)?.[1] ?? '');
      return client?.revoked === true ? undefined : client;
    },
    grants: (client, window) => (window === 'minute' ? client.perMinute : client.perDay),
    windowSeconds: (window) => (window === 'minute' ? MINUTE_SECONDS : DAY_SECONDS),
    retryAfter: (seconds) => seconds,
    ban: null,
    quantityOf: ({ body }) => readQuantity(body) ?? null,
    update: (item, quantity) => {
      const updated = { ...item, quantity };
      world.pets.set(String(item.petId), updated);
      return updated;
    },
    list: () => [...world.pets.values()],
    reply: (reply) => reply,
  };
}

/** Reads what the specification asks for. */
export function readQuantity(body: string): ExactInteger | undefined {
  const value = parseIfJson(body);
  return isJsonObject(value) ? asInteger(value['quantity']) : undefined;
}

/** A reply with an Error object. */
function problem(status: number, code: string, headers: readonly HeaderField[] = []): ScriptedReply {
  const body = { code, message: `It is ${code}.`, status } satisfies ErrorBody;
  return { status, headers, body: JSON.stringify(body) };
}

function stock(items: readonly InventoryItem[]): World['pets'] {
  return new Map(items.map((item) => [String(item.petId), item]));
}

function controlOf(world: World): ControlClient {
  return {
    url: 'http://control.test',
    capabilities: new Set(['reset', 'keys', 'clock', 'inventory']),
    readClock: () => Promise.resolve({ now: world.now, sentAt: 0, receivedAt: 0 }),
    advance: (seconds) => {
      world.now += seconds;
      return Promise.resolve({ now: world.now, sentAt: 0, receivedAt: 0 });
    },
    issueKey: ({ plan, usedToday = 0, ...limits }) => {
      const secret = `key-${plan}-${world.clients.size + 1}-Secret`;
      const granted = plan === 'enterprise' ? { perMinute: 90, perDay: 4_000 } : PLAN_LIMITS[plan];
      world.clients.set(secret, { secret, ...granted, ...limits, usedToday, revoked: false });
      return Promise.resolve(secret);
    },
    revokeKey: (secret) => {
      const client = world.clients.get(secret);
      if (client !== undefined) {
        client.revoked = true;
      }
      return Promise.resolve();
    },
    replaceInventory: (items) => {
      world.pets = stock(items);
      return Promise.resolve();
    },
    reset: () => Promise.resolve(),
  };
}
