import { between, anyOf, several, weighted, type Draw } from './dice.ts';
import type { Episode, Lane, PlannedRequest, Step } from './episode.ts';
import {
  ANY_OPERATION,
  BODY_OPERATION,
  EXTRA,
  LIST_OPERATION,
  UPDATE_OPERATION,
  USUAL_SPELLING_OPERATION,
  DOCUMENTED_OPERATION,
  drawGoodRequest,
  drawRequest,
  GOOD_OPERATION,
  SPELLED_CREDENTIAL,
  SPELLING_OPERATION,
} from './draw-requests.ts';
import {
  AT_ONCE,
  LANE,
  MINUTE_EDGE,
  ONE_AFTER_THE_OTHER,
  SMALL,
  episodes,
  keysOf,
  planKey,
  send,
  sendShared,
  smallKey,
  repeatSteps,
  wait,
  waitOneOf,
} from './draw-steps.ts';

/** What no limiter may count apart: other operations, spellings, credentials, fields, and what is refused. */
const ANY_FORM = weighted(
  [3, drawGoodRequest(1)],
  [2, drawRequest({ operation: SPELLING_OPERATION, keys: 1 })],
  [2, drawRequest({ operation: GOOD_OPERATION, keys: 1, credential: SPELLED_CREDENTIAL })],
  [2, drawRequest({ operation: GOOD_OPERATION, keys: 1, extra: EXTRA })],
  [3, drawRequest({ operation: ANY_OPERATION, keys: 1 })],
);

// Other than a divisor of a minute, so that the next window falls on another phase of an aligned one.
const SHIFTED = anyOf(13, 17, 27, 41);
const SOMETIMES_SHIFTED = weighted([3, anyOf(0, 0, 0.5)], [4, SHIFTED]);
// Longer than any window of a minute counts.
const TWO_WINDOWS = wait(125.5);
const LEFT_ALONE = weighted([8, waitOneOf(55.5, 58, 60.5, 63, 66, 75, 85, 88)], [2, () => TWO_WINDOWS]);

function useUp(leaving: number, requests: readonly PlannedRequest[], lane: Lane = 'shared'): Step {
  return { do: 'use up', key: requests[0]?.key ?? 0, leaving, requests, lane };
}

/** Windows of one key: each is used up, then left alone or waited out, and used up again. */
function drawWindow(key: number, drawn: Draw<PlannedRequest>): Draw<readonly Step[]> {
  const request: Draw<PlannedRequest> = (dice) => ({ ...drawn(dice), key });
  const using =
    (leaving: Draw<number>, lane: Draw<Lane> = LANE): Draw<Step> =>
    (dice) =>
      useUp(leaving(dice), several(request, 1, 4)(dice), lane(dice));
  const whole = using(() => 0);
  const beyond = send(request, { most: 3, lane: ONE_AFTER_THE_OTHER });
  // One form again and again; more requests than two windows hold of a small limit.
  const insisting = send(request, { most: 1, times: anyOf(2, 5, 8), lane: ONE_AFTER_THE_OTHER });
  const once = send(request, { most: 1, lane: ONE_AFTER_THE_OTHER });
  const told: Draw<Step> = (dice) => ({ do: 'wait out', key, offset: SOMETIMES_SHIFTED(dice) });
  const reset: Draw<Step> = (dice) => ({ do: 'wait for reset', key, offset: anyOf(0, 0.5, 19)(dice) });
  const row = weighted<readonly Draw<Step>[]>(
    [5, () => [whole, beyond, told]],
    [5, () => [whole, LEFT_ALONE]],
    [3, () => [using(between(1, 3)), waitOneOf(7, 15, 25, 31, 45), whole, once, told]],
    [3, () => [using(between(-8, -1), AT_ONCE), told]],
    [3, () => [whole, insisting, insisting, told]],
    [1, () => [whole, reset]],
    [2, () => [whole, once, () => TWO_WINDOWS, once, told]],
    [1, () => [whole, MINUTE_EDGE]],
  );
  return (dice) => row(dice).map((step) => step(dice));
}

const ANY_WINDOW = weighted(
  [4, drawWindow(0, drawGoodRequest(1))],
  [3, drawWindow(0, ANY_FORM)],
  [1, drawWindow(1, ANY_FORM)],
);

export const MINUTES: Draw<Episode> = episodes({
  keys: several(SMALL, 1, 2),
  steps: (dice) => {
    const [one, other] = [ANY_WINDOW(dice), ANY_WINDOW(dice)];
    // What a window of a kind shows once may be chance.
    return anyOf([one, other, one], [one, one, one, other], [other, one, other, one])(dice).flat();
  },
});

const FORM = weighted(
  [2, drawGoodRequest(1, DOCUMENTED_OPERATION)],
  [7, drawGoodRequest(1, USUAL_SPELLING_OPERATION)],
  [2, drawGoodRequest(1, GOOD_OPERATION, { credential: SPELLED_CREDENTIAL })],
  [2, drawGoodRequest(1, GOOD_OPERATION, { extra: EXTRA })],
);

/** A window that one form uses up, and other forms that go on, the refusal of each followed by the next. */
export const FORMS: Draw<Episode> = episodes({
  keys: keysOf(smallKey(between(2, 3))),
  steps: (dice) => {
    const usual = [drawGoodRequest(1, LIST_OPERATION)(dice), drawGoodRequest(1, UPDATE_OPERATION)(dice)];
    const both = anyOf(usual, usual.toReversed())(dice);
    const inTurns = [...both, ...several(FORM, 8)(dice), ...both.slice(0, 1)];
    const told: Step = { do: 'wait out', key: 0, offset: SHIFTED(dice) };
    return repeatSteps(3, useUp(0, both.slice(0, 1)), sendShared(inTurns), told);
  },
});

/** A limit that holds for one request after the other, and then for many at once over many connections. */
export const CROWDS: Draw<Episode> = episodes({
  keys: keysOf(smallKey(between(3, 6))),
  steps: (dice) => {
    const one = several(drawGoodRequest(1), 1)(dice);
    const some = several(drawGoodRequest(1), 1, 3)(dice);
    const updates = several(drawGoodRequest(1, UPDATE_OPERATION), 1, 2)(dice);
    const lane = AT_ONCE(dice);
    const next: Step = { do: 'wait out', key: 0, offset: SHIFTED(dice) };
    const uses = [
      useUp(-1, one),
      useUp(-8, some, lane),
      useUp(-8, updates, lane),
      useUp(-2, one, 'new'),
      useUp(-2, some, 'new'),
    ];
    return [...uses.flatMap((use) => [use, next]), useUp(-1, one)];
  },
});

/** Windows that are used up again and again after a little less than a minute. */
export const HURRIED: Draw<Episode> = (dice) => {
  const limit = dice.between(1, 2);
  return episodes({
    keys: keysOf(smallKey(() => limit)),
    steps: () =>
      repeatSteps(15, sendShared([drawGoodRequest(1)(dice)], limit), waitOneOf(52.5, 55.5, 56.5)(dice)),
  })(dice);
};

/** Never as many requests within a minute as the limit. */
export const SLOW: Draw<Episode> = episodes({
  keys: keysOf(smallKey(between(5, 6))),
  steps: (dice) => repeatSteps(14, sendShared([drawGoodRequest(1)(dice)]), waitOneOf(19, 21, 24)(dice)),
});

/** The plans as they are sold, whose limits take many requests. */
export function wholePlan(plan: 'free' | 'pro' | 'business', windows: number): Draw<Episode> {
  const good = drawGoodRequest(1, DOCUMENTED_OPERATION);
  const mixed = plan === 'free' ? weighted([5, good], [2, ANY_FORM]) : good;
  const window: Draw<readonly Step[]> = (dice) => {
    const [one, body] = [good(dice), drawGoodRequest(1, BODY_OPERATION)(dice)];
    return [
      useUp(5, several(mixed, 2, 4)(dice), anyOf<Lane>(16, 4, 'shared')(dice)),
      sendShared([body]),
      // The last ones one by one, since of several at once nobody knows which was refused first.
      useUp(-2, [one]),
      sendShared([body, one]),
      { do: 'wait out', key: 0, offset: SHIFTED(dice) },
    ];
  };
  return episodes({
    keys: () => [planKey(plan)],
    steps: (dice) => several(window, windows)(dice).flat(),
  });
}

/** The limit of the next smaller plan is enough to tell the two apart. */
export const A_THIRD_OF_BUSINESS: Draw<Episode> = episodes({
  keys: () => [planKey('business')],
  steps: (dice) => [
    useUp(690, several(drawGoodRequest(1), 1, 4)(dice), 16),
    send(drawGoodRequest(1), { most: 2 })(dice),
  ],
});
