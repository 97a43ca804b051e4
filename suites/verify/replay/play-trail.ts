import { LONGEST_TEMPORARY_SECONDS } from '../../../contract/bans.ts';
import { DAY_SECONDS } from '../../../contract/plans.ts';
import {
  keyLabel,
  type Trail,
  type TrailItem,
  type TrailRequest,
  type TrailStep,
} from '../../../contract/trail.ts';
import { isPetStatus, type InventoryItem } from '../../../contract/inventory.ts';
import { NoResponse, withKeys, type Credentials } from '../../target/index.ts';
import {
  secondsAsked,
  type Exchange,
  type Key,
  type Operation,
  type RequestMessage,
} from '../../oracle/index.ts';
import { Undecided, type CheckContext } from '../../stimuli/index.ts';

/** One sending of a trail under way. */
interface Play {
  readonly context: CheckContext;
  readonly trail: Trail;
  /** By the numbers of the trail. */
  readonly keys: (Key | undefined)[];
  readonly revoked: Set<number>;
  readonly lastRefusal: Map<number, Exchange>;
  /** How many requests were answered. */
  answered: number;
  /** Answered 429 though they presented no key, and none of them was before: how they are answered else is not seen. */
  hidden: number;
  /** Those that were not answered. */
  readonly lost: NoResponse[];
  /** Since when the moments of the trail count; milliseconds of the timekeeper. */
  began: number;
}

// What has been set up since may have taken as long.
const SAME_TIME_SECONDS = 5;

/**
 * Sends the steps of a trail. If the clock can be moved, it begins at the same time of the target's day.
 * @param keyOf a key for one of the trail; only one that was never used has the same to grant
 * @returns what came of its requests
 */
export async function playTrail(
  context: CheckContext,
  trail: Trail,
  keyOf: (number: number) => Promise<Key>,
): Promise<Pick<Play, 'answered' | 'hidden' | 'lost'>> {
  const play: Play = {
    context,
    trail,
    keys: [],
    revoked: new Set(),
    lastRefusal: new Map(),
    answered: 0,
    hidden: 0,
    lost: [],
    began: 0,
  };
  const now = context.clock.at(context.now())?.earliest;
  if (context.virtualTime && now !== undefined && trail.startedAt !== null) {
    const away = (((trail.startedAt - now) % DAY_SECONDS) + DAY_SECONDS) % DAY_SECONDS;
    if (away < DAY_SECONDS - SAME_TIME_SECONDS) {
      await context.sleep(away, 'the same time of day');
    }
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
        throw new Undecided(`It takes a control URL that revokes ${keyLabel(play.trail.keys, step.key)}.`);
      }
      play.revoked.add(step.key);
      await context.control.revokeKey(key.secret);
      return;
    }
    case 'replace inventory':
      // What is refused for want of a key shows nothing of the inventory.
      if (context.control?.capabilities.has('inventory') !== true && play.trail.keys.length === 0) {
        return;
      }
      if (context.control === null) {
        throw new Undecided('It takes a control URL that replaces the inventory.');
      }
      await context.control.replaceInventory(step.items.map(itemOf));
      return;
    case 'wait':
      await wait(context, secondsOf(play, step));
      // It may have been longer or shorter than it was.
      if (step.told !== undefined || step.outlasts !== undefined) {
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

/** What took its time takes no less now; what takes longer now moves what follows. */
async function keepPace(play: Play, at: number): Promise<void> {
  const { context } = play;
  const lead = play.began + at - context.now();
  if (lead >= SHORTEST_LEAD_MILLISECONDS) {
    await wait(context, lead / 1000);
  } else if (lead < 0) {
    play.began -= lead;
  }
}

/** @throws {Undecided} if that is longer than anything temporary takes */
async function wait(context: CheckContext, seconds: number): Promise<void> {
  if (seconds > LONGEST_TEMPORARY_SECONDS) {
    throw new Undecided(
      `The next step would come after a wait of ${Math.ceil(seconds)} s, and replay waits for 31 days at most.`,
    );
  }
  await context.sleep(seconds, 'the next step of the trail');
}

function secondsOf(play: Play, step: Extract<TrailStep, { readonly do: 'wait' }>): number {
  const { context, lastRefusal } = play;
  const { seconds, told, outlasts } = step;
  const refusal = lastRefusal.get(told ?? outlasts ?? 0);
  const asked = refusal === undefined ? undefined : secondsAsked(refusal, context.clock);
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

/** In their order, so many at a time. */
async function send(
  play: Play,
  { requests, connections }: Extract<TrailStep, { readonly do: 'send' }>,
): Promise<void> {
  const left = requests.flatMap((request) => Array.from({ length: request.times }, () => request)).values();
  const sendRest = async (): Promise<void> => {
    for (const one of left) {
      await sendOne(play, one, connections);
    }
  };
  await Promise.all(Array.from({ length: connections }, sendRest));
}

async function sendOne(play: Play, request: TrailRequest, connections: number): Promise<void> {
  try {
    const exchange = await play.context.send(
      messageOf(play, request),
      credentialsOf(play, request),
      connections,
    );
    note(play, request, exchange);
  } catch (error) {
    if (!(error instanceof NoResponse)) {
      throw error;
    }
    play.lost.push(error);
  }
}

function note(play: Play, { key, answers }: TrailRequest, exchange: Exchange): void {
  play.answered += 1;
  const { status } = exchange.response;
  if (key !== null && [401, 403, 429].includes(status)) {
    play.lastRefusal.set(key, exchange);
  }
  if (key === null && status === 429 && answers.every((answer) => answer.status !== 429)) {
    play.hidden += 1;
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
  const spends = key === undefined ? {} : { spends: key };
  return { authorization: values, labels: values.map((_, index) => `[field ${index + 1}]`), ...spends };
}

function secretsOf({ keys, trail, context }: Play): readonly string[] {
  const revoked = [...context.facts.revokedKeys];
  return trail.keys.map((key, index) =>
    key.revoked === true ? (revoked.shift() ?? '') : (keys[index]?.secret ?? ''),
  );
}
