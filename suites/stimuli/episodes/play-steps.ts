import { DAY_SECONDS, MINUTE_SECONDS } from '../../../contract/plans.ts';
import type { Lane, PlannedRequest, Step } from './episode.ts';
import type { Stage } from './stage.ts';

/** Plays the steps of an episode until their end, or until nothing more may be sent. */
export async function playSteps(stage: Stage, steps: readonly Step[], isOver: IsOver): Promise<void> {
  for (const step of steps) {
    if (isOver()) {
      return;
    }
    await playStep(stage, step, isOver);
  }
}

type IsOver = () => boolean;

// Connections for what is sent at once.
const AT_ONCE = 4;

async function playStep(stage: Stage, step: Step, isOver: IsOver): Promise<void> {
  switch (step.do) {
    case 'send':
      return sendInTurns(stage, step, isOver);
    case 'use up':
      return useUp(stage, step, isOver);
    case 'be patient':
      return bePatient(stage, step, isOver);
    case 'wait':
      return stage.wait(step.seconds);
    case 'wait out':
      return stage.wait(secondsToRetry(stage, step.key) + step.offset);
    case 'wait for reset': {
      const reset = stage.followed(step.key).key.usage.last?.rateLimit.reset;
      return stage.wait(untilUnix(stage, reset) + step.offset);
    }
    case 'wait for edge': {
      const length = step.of === 'minute' ? MINUTE_SECONDS : DAY_SECONDS;
      const now = stage.serverTime();
      return now === undefined ? undefined : stage.wait(length - (now % length) + step.offset);
    }
    case 'revoke': {
      const revoked = stage.revoke(step.key);
      const underWay = withKey(step.underWay, step.key);
      await Promise.all([
        revoked,
        sendInTurns(stage, { requests: underWay, times: underWay.length, lane: AT_ONCE }, isOver),
      ]);
      return undefined;
    }
    case 'replace inventory':
      return stage.replaceInventory(step.inventory);
  }
}

/** Of a key that was not refused lately the length of a window, so that the next one can be used up too. */
function secondsToRetry(stage: Stage, key: number): number {
  const left = (stage.followed(key).retryAt() - stage.now()) / 1000;
  return left > 0 ? left : MINUTE_SECONDS;
}

// A Reset that is further away is none.
const LONGEST_RESET_SECONDS = 2 * DAY_SECONDS;

function untilUnix(stage: Stage, seconds: number | undefined): number {
  const now = stage.serverTime();
  const left = seconds === undefined || now === undefined ? 0 : seconds - now;
  return left > LONGEST_RESET_SECONDS ? 0 : left;
}

function withKey(requests: readonly PlannedRequest[], key: number): readonly PlannedRequest[] {
  return requests.map((request) => ({ ...request, key }));
}

interface Turns {
  readonly requests: readonly PlannedRequest[];
  readonly times: number;
  readonly lane: Lane;
}

/** One after the other, or all at once if the lane is a number of connections. */
async function sendInTurns(stage: Stage, { requests, times, lane }: Turns, isOver: IsOver): Promise<void> {
  const all = Array.from(
    { length: Math.max(0, times) },
    (_, index) => requests[index % requests.length],
  ).filter((request) => request !== undefined);
  if (typeof lane === 'number') {
    await Promise.all(all.map(async (request) => (isOver() ? undefined : stage.send(request, lane))));
    return;
  }
  for (const request of all) {
    if (isOver()) {
      return;
    }
    await stage.send(request, lane);
  }
}

// What is refused for itself may not count, so that more is needed.
const USE_UP_ROUNDS = 3;

async function useUp(
  stage: Stage,
  { key, leaving, requests, lane }: Extract<Step, { readonly do: 'use up' }>,
  isOver: IsOver,
): Promise<void> {
  const followed = stage.followed(key);
  for (let round = 0; round < USE_UP_ROUNDS && followed.retryAt() <= stage.now(); round += 1) {
    const room = followed.room(stage.now()) - leaving;
    await sendInTurns(stage, { requests: withKey(requests, key), times: room, lane }, isOver);
  }
}

// One that is not refused by then is not limited.
const MOST_BEYOND = 3;

/** A client that waits as told is never banned, however many windows it uses up. */
async function bePatient(
  stage: Stage,
  { key, windows, requests }: Extract<Step, { readonly do: 'be patient' }>,
  isOver: IsOver,
): Promise<void> {
  const followed = stage.followed(key);
  const own = withKey(requests, key);
  for (let window = 0; window < windows && !isOver(); window += 1) {
    await stage.wait((followed.retryAt() - stage.now()) / 1000);
    const most = followed.room(stage.now()) + MOST_BEYOND;
    for (let sent = 0; sent < most && !isOver() && followed.retryAt() <= stage.now(); sent += 1) {
      await sendInTurns(stage, { requests: own.slice(sent % own.length), times: 1, lane: 'shared' }, isOver);
    }
  }
  await stage.wait((followed.retryAt() - stage.now()) / 1000);
  await sendInTurns(stage, { requests: own, times: 1, lane: 'shared' }, isOver);
}
