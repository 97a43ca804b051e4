import * as fc from 'fast-check';
import type { Episode, Lane, PlannedRequest, Step } from './episode.ts';
import {
  ANY_OPERATION,
  BODY_OPERATION,
  LIST_OPERATION,
  NONE,
  UPDATE_OPERATION,
  USUAL_SPELLING_OPERATION,
  DOCUMENTED_OPERATION,
  drawGoodRequest,
  drawRequest,
  GOOD_OPERATION,
  SPELLED_CREDENTIAL,
  SPELLING_OPERATION,
  weighted,
} from './draw-requests.ts';
import {
  AT_ONCE,
  LANE,
  MINUTE_EDGE,
  ONE_AFTER_THE_OTHER,
  SMALL,
  episodes,
  send,
  smallKey,
  repeatSteps,
} from './draw-steps.ts';

/** What no limiter may count apart: other operations, spellings, credentials, fields, and what is refused. */
function drawAnyForm(keys: number): fc.Arbitrary<PlannedRequest> {
  return weighted(
    [3, drawGoodRequest(keys)],
    [2, drawRequest({ operation: SPELLING_OPERATION, keys })],
    [2, drawRequest({ operation: GOOD_OPERATION, keys, credential: SPELLED_CREDENTIAL })],
    [2, drawRequest({ operation: GOOD_OPERATION, keys, extra: fc.nat({ max: 99 }) })],
    [3, drawRequest({ operation: ANY_OPERATION, keys })],
  );
}

// Other than a divisor of a minute, so that the next window falls on another phase of an aligned one.
const SHIFTED = fc.constantFrom(13, 17, 27, 41);
const SOMETIMES_SHIFTED = weighted([3, fc.constantFrom(0, 0, 0.5)], [4, SHIFTED]);
// Longer than any window of a minute counts.
const TWO_WINDOWS = 125.5;
const LEFT_ALONE = fc.constantFrom(55.5, 58, 60.5, 63, 66, 75, 85, 88, TWO_WINDOWS, TWO_WINDOWS);

/** Windows of one key: each is used up, then left alone or waited out, and used up again. */
function drawWindow(key: number, requests: fc.Arbitrary<PlannedRequest>): fc.Arbitrary<readonly Step[]> {
  const own = fc.array(requests, { minLength: 1, maxLength: 4 });
  const use = (leaving: fc.Arbitrary<number>, lane: fc.Arbitrary<Lane> = LANE): fc.Arbitrary<Step> =>
    fc.record({ do: fc.constant('use up'), key: fc.constant(key), leaving, requests: own, lane });
  const beyond = send(withKeyOf(key, requests), { most: 3, lane: ONE_AFTER_THE_OTHER });
  const told: fc.Arbitrary<Step> = fc.record({
    do: fc.constant('wait out'),
    key: fc.constant(key),
    offset: SOMETIMES_SHIFTED,
  });
  const alone: fc.Arbitrary<Step> = fc.record({ do: fc.constant('wait'), seconds: LEFT_ALONE });
  const reset: fc.Arbitrary<Step> = fc.record({
    do: fc.constant('wait for reset'),
    key: fc.constant(key),
    offset: fc.constantFrom(0, 0.5, 19),
  });
  const halfway = fc.constantFrom(7, 15, 25, 31, 45).map((seconds): Step => ({ do: 'wait', seconds }));
  const twoWindows = fc.constant<Step>({ do: 'wait', seconds: TWO_WINDOWS });
  const whole = fc.constant(0);
  return weighted<readonly Step[]>(
    [5, fc.tuple(use(whole), beyond, told)],
    [5, fc.tuple(use(whole), alone)],
    [
      3,
      fc.tuple(use(fc.integer({ min: 1, max: 3 })), halfway, use(whole), insisting(key, requests, 1), told),
    ],
    [3, fc.tuple(use(fc.integer({ min: -8, max: -1 }), AT_ONCE), told)],
    [3, fc.tuple(use(whole), insisting(key, requests), insisting(key, requests), told)],
    [1, fc.tuple(use(whole), reset)],
    [2, fc.tuple(use(whole), insisting(key, requests, 1), twoWindows, insisting(key, requests, 1), told)],
    [1, fc.tuple(use(whole), MINUTE_EDGE)],
  );
}

/** One form again and again; by default more requests than two windows hold of a small limit. */
function insisting(
  key: number,
  requests: fc.Arbitrary<PlannedRequest>,
  ...times: readonly number[]
): fc.Arbitrary<Step> {
  return fc.record({
    do: fc.constant('send'),
    requests: fc.tuple(withKeyOf(key, requests)),
    times: fc.constantFrom(...(times.length === 0 ? [2, 5, 8] : times)),
    lane: ONE_AFTER_THE_OTHER,
  });
}

function withKeyOf(key: number, requests: fc.Arbitrary<PlannedRequest>): fc.Arbitrary<PlannedRequest> {
  return requests.map(({ operation, credential, extra }) => ({ key, operation, credential, extra }));
}

const ANY_WINDOW = weighted(
  [4, drawWindow(0, drawGoodRequest(1))],
  [3, drawWindow(0, drawAnyForm(1))],
  [1, drawWindow(1, drawAnyForm(1))],
);

export const MINUTES: fc.Arbitrary<Episode> = episodes({
  theme: 'minutes',
  keys: fc.array(SMALL, { minLength: 1, maxLength: 2 }),
  steps: fc.tuple(ANY_WINDOW, ANY_WINDOW).chain(([one, other]) =>
    // What a window of a kind shows once may be chance.
    fc
      .constantFrom([one, other, one], [one, one, one, other], [other, one, other, one])
      .map((all) => all.flat()),
  ),
});

/** A window that one form uses up, and other forms that go on, the refusal of each followed by the next. */
function drawFormsAtLimit(): fc.Arbitrary<readonly Step[]> {
  const list = drawGoodRequest(1, LIST_OPERATION);
  const update = drawGoodRequest(1, UPDATE_OPERATION);
  const usual = weighted([1, fc.tuple(list, update)], [1, fc.tuple(update, list)]);
  const form = weighted(
    [2, drawGoodRequest(1, DOCUMENTED_OPERATION)],
    [7, drawRequest({ operation: USUAL_SPELLING_OPERATION, keys: 1, credential: NONE, extra: NONE })],
    [2, drawRequest({ operation: GOOD_OPERATION, keys: 1, credential: SPELLED_CREDENTIAL, extra: NONE })],
    [2, drawRequest({ operation: GOOD_OPERATION, keys: 1, credential: NONE, extra: fc.nat({ max: 99 }) })],
  );
  return fc
    .tuple(usual, fc.array(form, { minLength: 8, maxLength: 8 }), SHIFTED)
    .map(([[one, second], forms, offset]) => {
      const inTurns = [one, second, ...forms, one];
      const window: readonly Step[] = [
        { do: 'use up', key: 0, leaving: 0, requests: [one], lane: 'shared' },
        { do: 'send', requests: inTurns, times: inTurns.length, lane: 'shared' },
        { do: 'wait out', key: 0, offset },
      ];
      return [window, window, window].flat();
    });
}

export const FORMS: fc.Arbitrary<Episode> = episodes({
  theme: 'forms at the limit',
  keys: fc.tuple(smallKey(fc.integer({ min: 2, max: 3 }))),
  steps: drawFormsAtLimit(),
});

/** A limit that holds for one request after the other, and then for many at once over many connections. */
export const CROWDS: fc.Arbitrary<Episode> = episodes({
  theme: 'crowds at the limit',
  keys: fc.tuple(smallKey(fc.integer({ min: 3, max: 6 }))),
  steps: fc
    .tuple(
      drawGoodRequest(1),
      fc.array(drawGoodRequest(1), { minLength: 1, maxLength: 3 }),
      fc.array(drawGoodRequest(1, UPDATE_OPERATION), { minLength: 1, maxLength: 2 }),
      AT_ONCE,
      SHIFTED,
    )
    .map(([one, several, updates, lane, offset]): readonly Step[] => {
      const next: Step = { do: 'wait out', key: 0, offset };
      const alone: Step = { do: 'use up', key: 0, leaving: -1, requests: [one], lane: 'shared' };
      return [
        alone,
        next,
        { do: 'use up', key: 0, leaving: -8, requests: several, lane },
        next,
        { do: 'use up', key: 0, leaving: -8, requests: updates, lane },
        next,
        { do: 'use up', key: 0, leaving: -2, requests: [one], lane: 'new' },
        next,
        { do: 'use up', key: 0, leaving: -2, requests: several, lane: 'new' },
        next,
        alone,
      ];
    }),
});

/** Windows that are used up again and again after a little less than a minute. */
export const HURRIED: fc.Arbitrary<Episode> = fc
  .tuple(fc.integer({ min: 1, max: 2 }), drawGoodRequest(1), fc.constantFrom(52.5, 55.5, 56.5))
  .chain(([limit, one, seconds]) =>
    episodes({
      theme: 'hurry',
      keys: fc.tuple(smallKey(fc.constant(limit))),
      steps: fc.constant(
        repeatSteps(15, [
          { do: 'send', requests: [one], times: limit, lane: 'shared' },
          { do: 'wait', seconds },
        ]),
      ),
    }),
  );

/** Never as many requests within a minute as the limit. */
export const SLOW: fc.Arbitrary<Episode> = episodes({
  theme: 'slowness',
  keys: fc.tuple(smallKey(fc.integer({ min: 5, max: 6 }))),
  steps: fc.tuple(drawGoodRequest(1), fc.constantFrom(19, 21, 24)).map(([one, seconds]) =>
    repeatSteps(14, [
      { do: 'send', requests: [one], times: 1, lane: 'shared' },
      { do: 'wait', seconds },
    ]),
  ),
});

/** The plans as they are sold, whose limits take many requests. */
export function wholePlan(plan: 'free' | 'pro' | 'business', windows: number): fc.Arbitrary<Episode> {
  const good = drawGoodRequest(1, DOCUMENTED_OPERATION);
  const mixed = plan === 'free' ? weighted([5, good], [2, drawAnyForm(1)]) : good;
  const window = fc
    .tuple(
      fc.array(mixed, { minLength: 2, maxLength: 4 }),
      good,
      drawGoodRequest(1, BODY_OPERATION),
      fc.constantFrom<Lane>(16, 4, 'shared'),
      SHIFTED,
    )
    .map(([several, one, body, lane, offset]): readonly Step[] => [
      { do: 'use up', key: 0, leaving: 5, requests: several, lane },
      { do: 'send', requests: [body], times: 1, lane: 'shared' },
      // The last ones one by one, since of several at once nobody knows which was refused first.
      { do: 'use up', key: 0, leaving: -2, requests: [one], lane: 'shared' },
      { do: 'send', requests: [body, one], times: 2, lane: 'shared' },
      { do: 'wait out', key: 0, offset },
    ]);
  return episodes({
    theme: `whole minutes of ${plan}`,
    keys: fc.constant([{ plan, limits: null, leftToday: null }]),
    steps: fc.array(window, { minLength: windows, maxLength: windows }).map((all) => all.flat()),
  });
}

/** The limit of the next smaller plan is enough to tell the two apart. */
export const A_THIRD_OF_BUSINESS: fc.Arbitrary<Episode> = episodes({
  theme: 'a third of a minute of business',
  keys: fc.constant([{ plan: 'business', limits: null, leftToday: null }]),
  steps: fc.tuple(
    fc.record({
      do: fc.constant('use up' as const),
      key: fc.constant(0),
      leaving: fc.constant(690),
      requests: fc.array(drawGoodRequest(1), { minLength: 1, maxLength: 4 }),
      lane: fc.constant<Lane>(16),
    }),
    send(drawGoodRequest(1), { most: 2 }),
  ),
});
