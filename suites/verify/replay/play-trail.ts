import { PLAN_LIMITS } from '../../../contract/plans.ts';
import {
  keepsPace,
  type Trail,
  type TrailItem,
  type TrailKey,
  type TrailRequest,
  type TrailStep,
} from '../../../contract/trail.ts';
import { isPetStatus, type InventoryItem } from '../../../contract/inventory.ts';
import {
  NoResponse,
  withKeys,
  type Credentials,
  type GivenAnswer,
  type KeyNeed,
} from '../../target/index.ts';
import {
  secondsToWait,
  type Exchange,
  type Key,
  type Operation,
  type RequestMessage,
} from '../../oracle/index.ts';
import { Undecided, type CheckContext } from '../check-context.ts';

/** Answers by their numbers, the requests that got none, and the exchanges. */
export interface PlayedTrail {
  readonly answers: readonly (GivenAnswer | undefined)[];
  readonly exchanges: readonly (Exchange | undefined)[];
  readonly lost: readonly NoResponse[];
  /** Whether an altered key was the key itself, which has the same character at the place. */
  readonly isUnaltered: boolean;
}

/**
 * What a trail takes of a key.
 * @param isRefused whether requests follow a refusal, so that the key may get banned
 */
export function needOf(
  { plan, perMinute, perDay, usedToday }: TrailKey,
  requests: number,
  isRefused: boolean,
): KeyNeed {
  const agreed = plan === 'enterprise' ? null : PLAN_LIMITS[plan];
  const isOwn = perMinute !== null && perDay !== null && agreed === null;
  return {
    plan,
    use: isRefused ? 'ban' : 'exhaust',
    requests,
    ...(isOwn ? { agree: { perMinute, perDay } } : {}),
    ...(usedToday === 0 ? {} : { usedToday: () => usedToday }),
  };
}

/** One sending of a trail under way. */
interface Play {
  readonly context: CheckContext;
  readonly trail: Trail;
  /** By the numbers of the trail. */
  readonly keys: (Key | undefined)[];
  readonly revoked: Set<number>;
  readonly lastRefusal: Map<number, Exchange>;
  readonly answers: (GivenAnswer | undefined)[];
  readonly exchanges: (Exchange | undefined)[];
  readonly lost: NoResponse[];
  next: number;
  isUnaltered: boolean;
  /** Since when the moments of the trail count; milliseconds of the timekeeper. */
  began: number;
}

const DAY_SECONDS = 86_400;

/**
 * Sends the steps of a trail. If the clock can be moved, it begins at the same time of the target's day.
 * @param keyOf a key for one of the trail; only one that was never used has the same to grant
 */
export async function playTrail(
  context: CheckContext,
  trail: Trail,
  keyOf: (number: number) => Promise<Key>,
): Promise<PlayedTrail> {
  const play: Play = {
    context,
    trail,
    keys: [],
    revoked: new Set(),
    lastRefusal: new Map(),
    answers: [],
    exchanges: [],
    lost: [],
    next: 1,
    isUnaltered: false,
    began: 0,
  };
  const now = context.clock.at(context.now())?.earliest;
  if (context.virtualTime && now !== undefined && trail.startedAt !== null) {
    const away = (((trail.startedAt - now) % DAY_SECONDS) + DAY_SECONDS) % DAY_SECONDS;
    await context.sleep(away, 'the same time of day');
  }
  play.began = context.now();
  for (const step of trail.steps) {
    await playStep(play, step, keyOf);
  }
  return play;
}

async function playStep(play: Play, step: TrailStep, keyOf: (number: number) => Promise<Key>): Promise<void> {
  const { context, keys } = play;
  switch (step.do) {
    case 'issue key':
      keys[step.key - 1] = await keyOf(step.key);
      return;
    case 'revoke key': {
      const key = keys[step.key - 1];
      if (context.control === null || key === undefined) {
        throw new Undecided('It takes a control URL that revokes keys.');
      }
      play.revoked.add(step.key);
      await context.control.revokeKey(key.secret);
      return;
    }
    case 'replace inventory':
      if (context.control === null) {
        throw new Undecided('It takes a control URL that replaces the inventory.');
      }
      await context.control.replaceInventory(step.items.map(itemOf));
      return;
    case 'wait':
      await context.sleep(secondsOf(play, step), 'the next step of the trail');
      // It may have been longer or shorter than it was.
      if (step.told !== undefined || (step.outlasts !== undefined && !keepsPace(play.trail))) {
        play.began = context.now() - step.at - step.seconds * 1000;
      }
      return;
    case 'send':
      await keepPace(play, step.at);
      await send(play, step);
  }
}

// Less is mere processing.
const SHORTEST_LEAD_MILLISECONDS = 500;

/** What took its time takes no less now; what takes longer now moves what follows, unless the moments matter. */
async function keepPace(play: Play, at: number): Promise<void> {
  const { context, trail } = play;
  const lead = play.began + at - context.now();
  if (lead >= SHORTEST_LEAD_MILLISECONDS) {
    await context.sleep(lead / 1000, 'the pace of the trail');
  } else if (lead < 0 && !keepsPace(trail)) {
    play.began -= lead;
  }
}

function secondsOf(play: Play, step: Extract<TrailStep, { readonly do: 'wait' }>): number {
  const { context, lastRefusal, trail } = play;
  const { at, seconds, told, outlasts } = step;
  if (told === undefined && keepsPace(trail)) {
    return Math.max(0, at / 1000 + seconds - (context.now() - play.began) / 1000);
  }
  const refusal = lastRefusal.get(told ?? outlasts ?? 0);
  const asked = refusal === undefined ? undefined : secondsToWait(refusal, context.clock);
  if (refusal === undefined || asked === undefined) {
    return seconds;
  }
  const left = asked - (context.now() - refusal.receivedAt) / 1000;
  return Math.max(told === undefined ? seconds : 0, left);
}

function itemOf({ petId, quantity, status }: TrailItem): InventoryItem {
  return {
    petId: BigInt(petId),
    quantity: BigInt(quantity),
    status: isPetStatus(status) ? status : 'available',
  };
}

async function send(
  play: Play,
  { requests, connections }: Extract<TrailStep, { readonly do: 'send' }>,
): Promise<void> {
  const single = requests.flatMap((request) =>
    Array.from({ length: request.times }, () => {
      const number = play.next;
      play.next += 1;
      return { request, number };
    }),
  );
  if (connections > 1) {
    const [first] = single;
    const isUniform = first !== undefined && single.every(({ request }) => request.key === first.request.key);
    await (isUniform ? sendTogether(play, single, connections) : sendSideBySide(play, single, connections));
    return;
  }
  for (const one of single) {
    await sendOne(play, one);
  }
}

interface NumberedRequest {
  readonly request: TrailRequest;
  readonly number: number;
}

/** In their order, so many at a time. */
async function sendSideBySide(
  play: Play,
  single: readonly NumberedRequest[],
  connections: number,
): Promise<void> {
  const left = single.values();
  const sendRest = async (): Promise<void> => {
    for (const one of left) {
      await sendOne(play, one, connections);
    }
  };
  await Promise.all(Array.from({ length: Math.min(connections, single.length) }, sendRest));
}

/** Over several connections, if all requests carry their key as they should. */
async function sendTogether(
  play: Play,
  single: readonly NumberedRequest[],
  connections: number,
): Promise<void> {
  const key = single[0]?.request.key ?? null;
  const credentials = single.map(({ request }) => credentialsOf(play, request));
  const own = credentials.flatMap((one) => ('key' in one ? [one.key] : []));
  const [first] = own;
  if (key === null || first === undefined || own.length < single.length) {
    await sendSideBySide(play, single, connections);
    return;
  }
  const messages = single.map(({ request }) => messageOf(play, request));
  const exchanges = await play.context.sendAll(messages, first, connections);
  for (const [index, exchange] of exchanges.entries()) {
    note(play, single[index], exchange);
  }
}

async function sendOne(play: Play, one: NumberedRequest, connections = 1): Promise<void> {
  const { request } = one;
  try {
    const exchange = await play.context.send(
      messageOf(play, request),
      credentialsOf(play, request),
      connections,
    );
    note(play, one, exchange);
  } catch (error) {
    if (!(error instanceof NoResponse)) {
      throw error;
    }
    play.lost.push(error);
    play.answers[one.number - 1] = {
      status: null,
      headers: [],
      operation: one.request.operation,
      exchange: null,
      now: undefined,
      sentAt: play.context.now(),
      endedAt: play.context.now(),
    };
  }
}

function note(play: Play, one: NumberedRequest | undefined, exchange: Exchange): void {
  if (one === undefined) {
    return;
  }
  const { status, headers } = exchange.response;
  const { operation, key } = one.request;
  const now = play.context.clock.spanOf(exchange);
  const { sentAt, receivedAt: endedAt } = exchange;
  play.answers[one.number - 1] = { status, headers, operation, exchange, now, sentAt, endedAt };
  play.exchanges[one.number - 1] = exchange;
  if (key !== null && [401, 403, 429].includes(status)) {
    play.lastRefusal.set(key, exchange);
  }
}

const OPERATIONS: readonly Operation[] = ['listInventory', 'updateInventory', 'getPet', 'listOrders'];

function messageOf(play: Play, request: TrailRequest): RequestMessage {
  const { method, path, headers, body, isBase64, operation } = request;
  const secrets = secretsOf(play);
  return {
    operation: OPERATIONS.find((one) => one === operation) ?? null,
    method,
    path: withKeys(path, secrets),
    headers: headers.map(([name, value]) => [name, withKeys(value, secrets)]),
    body: body !== null && isBase64 === true ? Buffer.from(body, 'base64') : body,
  };
}

function credentialsOf(play: Play, { authorization, key: number }: TrailRequest): Credentials {
  const values = authorization.map((value) => withKeys(value, secretsOf(play)));
  const key = number === null ? undefined : play.keys[number - 1];
  if (
    key !== undefined &&
    number !== null &&
    !play.revoked.has(number) &&
    values.length === 1 &&
    values[0] === `Bearer ${key.secret}`
  ) {
    return { key };
  }
  const isAltered = values.every((value) => !isValid(play, value));
  play.isUnaltered ||= number === null && !isAltered;
  const spends = key === undefined ? {} : { spends: key };
  return { authorization: values, labels: values.map((_, index) => `[field ${index + 1}]`), ...spends };
}

function isValid({ keys, revoked }: Play, authorization: string): boolean {
  return keys.some(
    (key, index) => key !== undefined && !revoked.has(index + 1) && authorization === `Bearer ${key.secret}`,
  );
}

function secretsOf({ keys, trail, context }: Play): readonly string[] {
  const revoked = [...context.facts.revokedKeys];
  return trail.keys.map((key, index) =>
    key.revoked === true ? (revoked.shift() ?? '') : (keys[index]?.secret ?? ''),
  );
}
