import { describe, expect, test } from 'vitest';

import { requirement, type RequirementId } from '../../../contract/requirements/index.ts';
import type { HistoryEvent } from '../history.ts';
import type { OracleJudgement } from '../history-monitor.ts';
import { openOracle } from '../oracle.ts';
import { followServerClock } from '../server-clock.ts';
import { labelOf } from './key-traffic.ts';
import { limitsMonitor } from './limits-monitor.ts';
import {
  createLimiter,
  PLAIN_LIMITER,
  type LimiterDecision,
  type PermittedLimiter,
} from './permitted-limiters.test-data.ts';
import { play, sendStep as send, type Limiter, type PlayedClient } from './played-history.test-data.ts';

type LimiterOf = (usedToday: number, key: number) => Limiter;

const WINDOW = { ...PLAIN_LIMITER.minute, countsBad: true };

const LIMITER: PermittedLimiter = {
  ...PLAIN_LIMITER,
  limits: { perMinute: 20, perDay: 50 },
  minute: WINDOW,
  day: WINDOW,
  ban: { threshold: 5, seconds: 300, status: 403, extended: false, tellsWait: true },
  namesEnd: true,
};

const pause = (seconds: number) => ({ kind: 'pause', seconds }) as const;

const WAIT = { kind: 'wait', beyond: 10 } as const;
const SHORT_WAIT = { kind: 'wait', beyond: 0 } as const;

/** What is said of a limiter. */
function judge(
  limiterOf: LimiterOf,
  steps: PlayedClient['steps'],
  others: readonly PlayedClient[] = [],
  hear: (event: HistoryEvent) => HistoryEvent = (event) => event,
): readonly OracleJudgement[] {
  const clock = followServerClock();
  clock.learnFromControl({ earliest: LIMITER.skew, latest: LIMITER.skew }, 0);
  const oracle = openOracle(clock, [limitsMonitor]);
  const said: OracleJudgement[] = [];
  const clients = [{ usedToday: 0, steps }, ...others];
  play(LIMITER, clients, 7, (event) => said.push(...oracle.accept(hear(event))), limiterOf);
  return said;
}

/** Which musts are accused, once each, and how often any is. */
function accuse(...scene: Parameters<typeof judge>): {
  readonly ids: readonly RequirementId[];
  readonly times: number;
} {
  const ids = judge(...scene).flatMap(({ id, holds }) =>
    holds || requirement(id).level !== 'must' ? [] : [id],
  );
  return { ids: [...new Set(ids)], times: ids.length };
}

const withLimits = (limits: Partial<PermittedLimiter['limits']>) => (usedToday: number) =>
  createLimiter({ ...LIMITER, limits: { ...LIMITER.limits, ...limits } }, usedToday);

const RIGHT = withLimits({});

/** Grants 8 requests a minute, and tells how many of them remain, as if the others had been used before. */
const cutShort: LimiterOf = (usedToday) => {
  const decide = withLimits({ perMinute: 8 })(usedToday);
  return (...asked) => ({ ...decide(...asked), limit: LIMITER.limits.perMinute });
};

/** A request of a key: the first has number 1. */
interface Asked {
  readonly seconds: number;
  readonly isGood: boolean;
  readonly number: number;
}

type Change = (decision: LimiterDecision, asked: Asked) => LimiterDecision;

/** Changes what a limiter that keeps its limits decides. @param start of a key */
const changed =
  (start: (key: number) => Change): LimiterOf =>
  (usedToday, key) => {
    const decide = createLimiter(LIMITER, usedToday);
    const change = start(key);
    let number = 0;
    return (seconds, isGood) => {
      number += 1;
      return change(decide(seconds, isGood), { seconds, isGood, number });
    };
  };

const granted = (decision: LimiterDecision): LimiterDecision => ({
  ...decision,
  outcome: 'granted',
  wait: null,
});

const refused = (decision: LimiterDecision, wait: number): LimiterDecision => ({
  ...decision,
  outcome: 'limited',
  wait,
});

const banned = (decision: LimiterDecision, wait: number): LimiterDecision => ({
  ...decision,
  outcome: 'banned',
  wait,
});

/** The second of two keys is refused its third request. */
const failing = changed(
  (key) =>
    (decision, { number }) =>
      key === 1 && number === 3 ? refused(decision, 50) : decision,
);

/** Other keys are banned now and then, and nobody tells until when. */
const banningOthers = changed((key) => (decision, { seconds }) => {
  const isHit = key > 0 && (seconds < 20 || seconds > 40);
  return isHit || decision.outcome === 'banned' ? { ...banned(decision, 0), wait: null } : decision;
});

/** A ban is answered so. */
const banAs =
  (status: number) =>
  (event: HistoryEvent): HistoryEvent =>
    event.type === 'response-received' && event.exchange.response.status === 403
      ? { ...event, exchange: { ...event.exchange, response: { ...event.exchange.response, status } } }
      : event;

/** What is answered so has no X-RateLimit-Reset. */
const withoutReset =
  (status: number) =>
  (event: HistoryEvent): HistoryEvent => {
    if (event.type !== 'response-received' || event.exchange.response.status !== status) {
      return event;
    }
    const { response } = event.exchange;
    const headers = response.headers.filter(([name]) => name !== 'X-RateLimit-Reset');
    return { ...event, exchange: { ...event.exchange, response: { ...response, headers } } };
  };

const tellsTooShortWaits = changed(
  () => (decision) => (decision.outcome === 'limited' ? { ...decision, wait: 1 } : decision),
);

// The kill matrix shows the plain faults.
describe('a limiter that breaks one rule is accused by it', () => {
  test.each<[RequirementId, string, PlayedClient['steps'], LimiterOf]>([
    [
      'retry-after-honoured',
      'a wait that is told too short after requests that were under way together',
      [send(20, { lanes: 8 }), send(1), WAIT, send(1)],
      tellsTooShortWaits,
    ],
    [
      'limit-renews',
      'a minute that is over after 90 s, used up in two halves',
      [send(10), pause(20), send(10), pause(45), send(1)],
      changed(
        () =>
          (decision, { number }) =>
            number > 20 ? refused(decision, 25) : decision,
      ),
    ],
    [
      'ban-ends',
      'a ban by 403 that goes on as a 429',
      [send(40, { stops: false }), WAIT, send(1)],
      changed(() => {
        let isBanned = false;
        return (decision) => {
          isBanned ||= decision.outcome === 'banned';
          return isBanned && decision.outcome !== 'banned' ? refused(decision, 10) : decision;
        };
      }),
    ],
  ])('%s: %s', (id, _what, steps, limiterOf) => {
    expect(accuse(limiterOf, steps).ids).toEqual([id]);
  });

  test.each<[RequirementId, string, PlayedClient['steps'], Change]>([
    [
      'remaining-falls',
      'Remaining leaves out each third request',
      [send(12)],
      (decision, { number }) => ({ ...decision, remaining: 20 - number + Math.floor(number / 3) }),
    ],
    [
      'minute-limit-free',
      'a request beyond the limit',
      [send(21), pause(133), send(21)],
      (decision, { number }) => (number % 21 === 0 ? granted(decision) : decision),
    ],
    [
      'ban-only-after-continued',
      'a ban of a key that never was refused',
      [send(6)],
      (decision, { number }) => (number === 6 ? banned(decision, 30) : decision),
    ],
    [
      'refusal-is-429',
      'a 403 for who is beyond the limit',
      [send(25)],
      (decision) => (decision.outcome === 'limited' ? banned(decision, 55) : decision),
    ],
  ])('%s: %s', (id, _what, steps, change) => {
    expect(
      accuse(
        changed(() => change),
        steps,
      ).ids,
    ).toEqual([id]);
  });

  test('keys-independent-in-ban: another key is answered 418, as only the banned one was before', () => {
    let isBanned = false;
    const banningAll = changed(() => (decision) => {
      isBanned ||= decision.outcome === 'banned';
      return isBanned ? banned(decision, 300) : decision;
    });
    const others = [{ usedToday: 0, steps: [send(1), pause(2), send(3)] }];
    const steps = [pause(1), send(40, { stops: false })];
    expect(accuse(banningAll, steps, others, banAs(418)).ids).toEqual([
      'ban-answer',
      'keys-independent-in-ban',
    ]);
    isBanned = false;
    expect(accuse(banningAll, steps, [], banAs(418)).ids).toEqual(['ban-answer']);
  });

  test('ban-answer: what a 403 lacks, and not what a refusal by the limit lacks after it', () => {
    const banningOnce = changed(() => (decision, { number }) => {
      const isRefused = decision.outcome !== 'granted';
      return isRefused && number === 24
        ? banned(decision, 300)
        : isRefused
          ? refused(decision, 55)
          : decision;
    });
    const steps = [send(23, { stops: false }), send(1), send(2, { stops: false })];
    expect(accuse(banningOnce, steps, [], withoutReset(429)).ids).toEqual([]);
    expect(accuse(RIGHT, [send(30, { stops: false })], [], withoutReset(403)).ids).toEqual(['ban-answer']);
  });

  test('keys-independent-in-ban: what other keys are answered while one is banned, nobody knows until when', () => {
    const others = [{ usedToday: 0, steps: [pause(2), send(1), pause(28), send(1), pause(30), send(1)] }];
    const said = judge(banningOthers, [send(40, { stops: false })], others);
    const explained = said.flatMap(({ id, holds, others: also = [] }) =>
      holds
        ? []
        : [[id, ...also.filter(({ isRuledOut }) => isRuledOut?.() !== true).map((other) => other.id)]],
    );
    expect(explained).toEqual([
      ['keys-independent-in-ban', 'valid-key-accepted', 'ban-only-after-continued'],
      ['keys-independent-in-ban', 'ban-only-after-continued', 'valid-key-accepted'],
    ]);
  });

  test('keys-independent-at-limit: a key that was served until another was refused', () => {
    let until = 0;
    const halting = changed(() => (decision, { seconds }) => {
      until = decision.outcome === 'limited' ? seconds + 30 : until;
      return seconds < until ? refused(decision, until - seconds) : decision;
    });
    const others = [{ usedToday: 0, steps: [send(1), pause(2), send(3)] }];
    const { ids } = accuse(halting, [pause(1), send(25)], others);
    expect(ids).toEqual(['keys-independent-at-limit']);
  });

  test('minute-limit-free: first minutes that grant fewer, as each key is told, and no other key', () => {
    const others = [{ usedToday: 30, steps: [pause(5), send(12)] }];
    const said = judge(cutShort, [send(12)], others).filter(({ holds }) => !holds);
    const possible = said.map(({ id, others: also = [] }) =>
      [id].concat(also.filter(({ isRuledOut }) => isRuledOut?.() !== true).map((other) => other.id)),
    );
    expect(possible.length).toBeGreaterThan(1);
    expect(possible.every((ids) => ids.includes('minute-limit-free'))).toBe(true);
    expect(possible.flat().filter((id) => /^keys-|renews/.test(id))).toEqual([]);
  });

  test('but not if it was served after that', () => {
    const others = [{ usedToday: 0, steps: [send(1), pause(2), send(3)] }];
    const { ids } = accuse(failing, [pause(1), send(25)], others);
    expect(ids).toEqual(['minute-limit-free']);
  });

  test('one fault is not counted again for what it leaves behind', () => {
    const stuck = changed(() => (decision) => refused(decision, 60));
    expect(accuse(stuck, [send(25, { stops: false })])).toEqual({ ids: ['minute-limit-free'], times: 1 });
    expect(
      accuse(
        changed(() => granted),
        [send(45)],
      ),
    ).toEqual({ ids: ['minute-limit-free'], times: 1 });
  });
});

test('a day after two without a request grants no more than the first', () => {
  const limits = { perMinute: 20, perDay: 3 };
  const ofSmallDay = (event: HistoryEvent): HistoryEvent =>
    event.type === 'key-known' ? { ...event, key: { ...event.key, limits } } : event;
  const secondIs =
    (change: Change): LimiterOf =>
    (usedToday) => {
      const decide = withLimits(limits)(usedToday);
      return (seconds, isGood) => {
        const decision = decide(seconds, isGood);
        return seconds > 100_000 ? change(decision, { seconds, isGood, number: 0 }) : decision;
      };
    };
  const steps = [send(4), pause(172_900), send(4)];
  expect(accuse(secondIs(granted), steps, [], ofSmallDay).ids).toEqual(['day-limit-free']);
  expect(
    accuse(
      secondIs((decision) => decision),
      steps,
      [],
      ofSmallDay,
    ).ids,
  ).toEqual([]);
});

test('a wait that is told for longer than it takes is no block, but not plausible either', () => {
  const generous = changed(
    () => (decision) => (decision.outcome === 'limited' ? refused(decision, 900) : decision),
  );
  const steps = [send(21), pause(130), send(21), pause(130), send(1)];
  expect(accuse(generous, steps).ids).toEqual([]);
  const said = judge(generous, steps).filter(({ id }) => id === 'retry-after-plausible');
  expect(said.map(({ holds }) => holds)).toEqual([false]);
});

const describedLate = changed(() => (decision, { seconds }) => ({
  ...decision,
  get remaining() {
    return decision.remainingLater(seconds + 0.02);
  },
}));

test('requests that overlap may all show what remains after them', () => {
  const steps = [send(8, { lanes: 8 }), send(3), send(6, { lanes: 3 })];
  expect(accuse(describedLate, steps).ids).toEqual([]);
});

test('but not fewer in all than were granted', () => {
  const counted = changed(() => (decision) => ({ ...decision, remaining: LIMITER.limits.perMinute - 1 }));
  expect(accuse(counted, [send(8, { lanes: 8 })]).ids).toContain('remaining-falls');
});

/** So much remains by the answers to bad requests. */
const forBad = (remaining: number) =>
  changed(
    () =>
      (decision, { isGood }) =>
        isGood ? decision : { ...decision, remaining },
  );
const emptyForBad = forBad(0);
const fullForBad = forBad(LIMITER.limits.perMinute);

test('Remaining that is too low in answers to bad requests alone is accused', () => {
  const steps = [send(3), { ...send(2), bad: 1 }, send(3)];
  expect(accuse(emptyForBad, steps).ids).toEqual(['remaining-falls']);
});

test('Remaining that stands still is accused if it told before that bad requests count', () => {
  const standingStill = changed(() => (decision, { number }) => ({
    ...decision,
    remaining: decision.remaining + Math.max(0, number - 7),
  }));
  const steps = [send(4, { bad: 1, stops: false }), send(6)];
  expect(accuse(standingStill, steps).ids).toEqual(['remaining-falls']);
  expect(accuse(RIGHT, steps).ids).toEqual([]);
});

test('Remaining that is too high in answers to bad requests alone is accused', () => {
  const steps = [send(5), { ...send(1), bad: 1 }, send(2)];
  expect(accuse(fullForBad, steps).ids).toEqual(['remaining-falls']);
});

test('that it is high in the last answer of a window is none', () => {
  const steps = [send(5), { ...send(1), bad: 1 }, pause(125), send(2)];
  expect(accuse(fullForBad, steps).ids).toEqual([]);
});

/** More is used in the first key's second minute than counted in it. */
const heavier = changed(
  (key) =>
    (decision, { seconds }) =>
      key === 0 && seconds > 60 ? { ...decision, remaining: decision.remaining - 8 } : decision,
);

test('what a sliding counter might have told is accused once another key shows that there is none', () => {
  const steps = [send(20), pause(75), send(1)];
  const minutes = [send(20), pause(65), send(10), pause(10), send(10), pause(65), send(2)];
  const later = { usedToday: 0, steps: [pause(100), ...minutes] };
  expect(accuse(heavier, steps).ids).toEqual([]);
  expect(accuse(heavier, steps, [later]).ids).toEqual(['remaining-falls']);
});

test('a configured key that was given with other limits than it has is no reason to accuse another', () => {
  const minute = { ...LIMITER.minute, algorithm: 'sliding counter, rounded up' } as const;
  const counter: LimiterOf = (usedToday) => createLimiter({ ...LIMITER, minute }, usedToday);
  const limits = { perMinute: 8, perDay: 50 };
  const given = { label: 'free#2', plan: 'free', limits, isExclusive: true, usedToday: null } as const;
  const hear = (event: HistoryEvent): HistoryEvent =>
    event.type === 'key-known' && event.key.label === given.label ? { ...event, key: given } : event;
  const proof = judge(counter, [send(20), pause(65), send(5)], [{ usedToday: 0, steps: [send(20)] }], hear)
    .filter(({ holds }) => !holds)
    .flatMap((accusation) => accusation.proof.map(({ key }) => key));
  expect(new Set(proof)).toEqual(new Set(['free#2']));
});

test('too few that are granted of many at once', () => {
  const steps = [send(40, { lanes: 40 })];
  expect(accuse(withLimits({ perMinute: 19 }), steps).ids).toEqual(['minute-limit-free']);
  expect(accuse(RIGHT, steps).ids).toEqual([]);
});

const withFewerForTheSecond: LimiterOf = (usedToday, key) =>
  withLimits(key === 1 ? { perMinute: 19 } : {})(usedToday);

test('too few of many at once, of a key that is refused one by one after its limit', () => {
  const others = [{ usedToday: 0, steps: [pause(10), send(40, { lanes: 40 })] }];
  expect(accuse(withFewerForTheSecond, [send(21)], others).ids).toEqual(['limit-under-concurrency']);
});

describe('a granted request whose headers describe a window that nobody used yet', () => {
  const untouched = changed(() => (decision) => ({
    ...decision,
    remaining: LIMITER.limits.perMinute,
    reset: Math.ceil(decision.now + 60),
  }));

  test('may have been under way when that window began', () => {
    expect(accuse(untouched, [send(1)]).ids).toEqual([]);
    expect(accuse(untouched, [send(1), pause(60), send(1)]).ids).toEqual([]);
  });

  test('is wrong if windows begin at several moments of the minute', () => {
    expect(accuse(untouched, [send(1), pause(133), send(1)]).ids).toEqual(['remaining-falls']);
  });

  test('is wrong if its window did not begin just now', () => {
    const stale = changed(() => (decision) => ({ ...decision, remaining: LIMITER.limits.perMinute }));
    expect(accuse(stale, [send(1), pause(10), send(1)]).ids).toEqual(['remaining-falls']);
  });
});

/** Grants the whole limit in windows of so many seconds, each from its first request on. */
const inWindowsOf = (length: number) =>
  changed(() => {
    let end = -Infinity;
    let used = 0;
    return (decided, { seconds }) => {
      used = seconds >= end ? 0 : used;
      end = seconds >= end ? seconds + length : end;
      const isFull = used === LIMITER.limits.perMinute;
      used += isFull ? 0 : 1;
      const remaining = LIMITER.limits.perMinute - used;
      const decision = { ...decided, remaining, reset: Math.ceil(LIMITER.skew + end) };
      return isFull ? refused(decision, end - seconds) : granted(decision);
    };
  });

/** Of each key that is refused, so many requests go through again. */
const leaking = (everyOther: number) =>
  changed(() => {
    let refusals = 0;
    return (decision) => {
      refusals += decision.outcome === 'limited' ? 1 : 0;
      return decision.outcome === 'limited' && refusals % everyOther === 0 ? granted(decision) : decision;
    };
  });

/** Nobody knows what was used before. */
const fromItsMiddle = (event: HistoryEvent): HistoryEvent =>
  event.type === 'key-known'
    ? { ...event, key: { ...event.key, usedToday: null, exclusiveSince: 0 } }
    : event;

const withLongDay = (event: HistoryEvent): HistoryEvent =>
  event.type === 'key-known'
    ? fromItsMiddle({ ...event, key: { ...event.key, limits: { perMinute: 20, perDay: 1_000 } } })
    : event;

const AMID_BAD = [send(5), { ...send(3), bad: 1 }, send(3)];
const TWICE_AMID_BAD = [...AMID_BAD, pause(10), { ...send(1), bad: 1 }, send(3)];

const onceMore = changed(
  () =>
    (decision, { number }) =>
      number === 22 ? granted(decision) : decision,
);

const byTwo = changed(() => (decision) => ({ ...decision, remaining: 2 * decision.remaining - 20 }));

const givingBack = changed(
  () =>
    (decision, { number }) =>
      number === 6 ? { ...decision, remaining: 19 } : decision,
);

describe("a key that is the run's own from a moment on, whatever was used before", () => {
  const minutes = [send(25), WAIT, send(25), WAIT, send(25), WAIT, send(25)];
  // The last answer shows that it was one window.
  const burst = [send(1), pause(70), send(1), pause(1), send(20, { lanes: 20 }), pause(3), send(1)];
  // It shows when a minute ends, without a request that is refused.
  const looks = [send(1), pause(50), send(1), pause(2), send(1), pause(2), send(1), pause(2), send(1)];

  test.each<[RequirementId, string, PlayedClient['steps'], LimiterOf]>([
    ['limit-renews', 'windows of half a minute', minutes, inWindowsOf(30)],
    ['minute-limit-free', 'one request more, once', burst, onceMore],
    ['minute-limit-free', 'every other refusal left out', [send(30, { stops: false })], leaking(2)],
    ['remaining-falls', 'nothing remains in answers to bad requests', AMID_BAD, emptyForBad],
    ['remaining-falls', 'all remains in answers to bad requests', TWICE_AMID_BAD, fullForBad],
    ['remaining-falls', 'Remaining falls by two', [send(6), pause(10), send(4)], byTwo],
    ['remaining-falls', 'requests that counted are given back', [send(8, { gap: 700 })], givingBack],
    ['limit-renews', 'minutes of 55 s', [...looks, pause(6), send(25), SHORT_WAIT, send(1)], inWindowsOf(55)],
    [
      'remaining-falls',
      'minutes of 90 s, though the first one was fresh',
      [send(15), pause(63), send(1), pause(15), send(1)],
      inWindowsOf(90),
    ],
  ])('shows a violation of %s: %s', (id, _what, steps, limiter) => {
    expect(accuse(limiter, steps, [], fromItsMiddle).ids).toEqual([id]);
  });

  test('shows one request more until one X-RateLimit-Reset, though X-RateLimit-Remaining was wrong before', () => {
    const wrong = changed(() => (decision, { number }) => {
      const amid = number === 6 ? { ...decision, remaining: 19 } : decision;
      return number === 29 ? granted(amid) : amid;
    });
    const steps = [send(8, { gap: 700 }), pause(130), send(20), send(1), send(1)];
    expect(accuse(wrong, steps, [], fromItsMiddle).ids).toEqual(['remaining-falls', 'minute-limit-free']);
  });

  test.each([
    ['with the minutes of the clock', 0, []],
    ['amid them', 26, ['limit-renews']],
  ])('shows minutes that end %s, and not when they are told to', (_when, phase, ids) => {
    const minute = { ...WINDOW, algorithm: 'clock-aligned' } as const;
    const sweep: LimiterOf = (usedToday) => {
      const decide = createLimiter({ ...LIMITER, minute: { ...minute, phase: phase / 60 } }, usedToday);
      let told = 0;
      return (seconds, isGood) => {
        const decision = decide(seconds, isGood);
        const { now, remaining, outcome } = decision;
        told =
          outcome === 'granted' && remaining === LIMITER.limits.perMinute - 1 ? Math.ceil(now) + 60 : told;
        return { ...decision, reset: told };
      };
    };
    const steps = [pause(phase + 1), send(3), pause(3), send(17), pause(19), send(20)];
    expect(accuse(sweep, steps, [another], fromItsMiddle).ids).toEqual(ids);
  });

  test('shows a minute that is too short by one, and no day of which nobody knows how much was used', () => {
    const steps = [send(3), pause(130), send(25)];
    expect(accuse(withLimits({ perMinute: 19 }), steps, [], withLongDay).ids).toEqual(['minute-limit-free']);
  });

  test('shows nothing of windows of a minute, or of one that was refused once in between', () => {
    expect(accuse(inWindowsOf(60), minutes, [], fromItsMiddle).ids).toEqual([]);
    const looked = [...looks, pause(6), send(25), SHORT_WAIT, send(1)];
    expect(accuse(inWindowsOf(60), looked, [], fromItsMiddle).ids).toEqual([]);
    expect(accuse(leaking(9), [send(30, { stops: false })], [], fromItsMiddle).ids).toEqual([]);
  });

  // Another key shows that its windows do not slide.
  const another = { usedToday: 0, steps: [pause(3), send(1), pause(57), send(3), pause(4), send(1)] };

  test.each([
    ['it is granted more, or refused', [send(3), pause(5), send(6), pause(5), send(20)]],
    ['it ends', [send(3), pause(5), send(6), pause(40), send(3), pause(15), send(2)]],
  ])('shows nothing if somebody else uses it in its first minute, before %s', (_when, steps) => {
    const others = new Set<number>();
    let sent = 0;
    const hear = (event: HistoryEvent): HistoryEvent => {
      if (event.type === 'key-known') {
        const { label, plan, limits } = event.key;
        const key = { label, plan, limits, isExclusive: true, usedToday: null, exclusiveSince: 0 };
        return { type: 'key-known', key };
      }
      const isOwn = event.type === 'request-sent' && labelOf(event) === 'free#1';
      sent += isOwn ? 1 : 0;
      if (isOwn && sent > 3 && sent <= 9) {
        others.add(event.id);
      }
      const isOthers = 'id' in event && others.has(event.id);
      return isOthers ? { type: 'inventory-ours', at: 0 } : event;
    };
    expect(accuse(RIGHT, steps, [another], hear).ids).toEqual([]);
    expect(others.size).toBe(6);
  });

  test.each([1, 4])('shows nothing if it counts, too, where it is refused, %i at once', (lanes) => {
    const others = new Set<number>();
    let sent = 0;
    const hear = (event: HistoryEvent): HistoryEvent => {
      if (
        event.type === 'request-sent' &&
        event.credential.kind === 'valid' &&
        event.credential.key === 'free#1'
      ) {
        sent += 1;
        if (sent > 6 && sent % 3 === 0) {
          others.add(event.id);
          const { key: holds } = event.credential;
          return { ...event, credential: { kind: 'invalid', requirement: 'bearer-scheme', holds } };
        }
      }
      if (event.type === 'response-received' && others.has(event.id)) {
        const { response } = event.exchange;
        return {
          ...event,
          exchange: { ...event.exchange, key: null, response: { ...response, status: 401 } },
        };
      }
      return fromItsMiddle(event);
    };
    // What is forgotten all at once is no sliding log.
    const once = [send(1), pause(30), send(5), pause(31)];
    const steps = [...once, send(9, { lanes }), pause(5), send(9, { lanes })];
    expect(accuse(RIGHT, steps, [another], hear).ids).toEqual([]);
    expect(others.size).toBe(6);
  });
});

/** How often each requirement was borne out. */
const passed = (steps: PlayedClient['steps']): Readonly<Partial<Record<RequirementId, number>>> => {
  const said = judge(RIGHT, steps);
  expect(said.filter(({ holds }) => !holds)).toEqual([]);
  return Object.fromEntries([...Map.groupBy(said, ({ id }) => id)].map(([id, all]) => [id, all.length]));
};

test.each([
  ['of another limit', { perMinute: 8, perDay: 40 }, ['remaining-falls']],
  ['of the same limits, which may have been used alike', {}, []],
])(
  'two keys %s of which the day is told what a minute leaves, in all answers or the last',
  (_which, limits, ids) => {
    const others: Partial<PermittedLimiter['limits']> = limits;
    const limitsOf = (key: number) => ({ ...LIMITER.limits, ...(key === 1 ? others : {}) });
    const shownAsDay =
      (most: number): LimiterOf =>
      (usedToday, key) => {
        const own = limitsOf(key);
        const decide = withLimits(own)(usedToday);
        return (...asked) => {
          const decision = decide(...asked);
          const isOfDay = decision.outcome === 'granted' && decision.remaining <= most;
          return isOfDay ? { ...decision, limit: own.perDay } : decision;
        };
      };
    const hear = (event: HistoryEvent): HistoryEvent =>
      event.type === 'key-known'
        ? fromItsMiddle({
            ...event,
            key: { ...event.key, limits: limitsOf(event.key.label === 'free#2' ? 1 : 0) },
          })
        : event;
    for (const [most, requests] of [
      [20, 3],
      [0, 20],
    ] as const) {
      const steps = [send(requests), pause(61), send(2)];
      expect(accuse(shownAsDay(most), steps, [{ usedToday: 0, steps }], hear).ids).toEqual(ids);
    }
  },
);

/** Nobody knows what was sent in the minute before. */
const fromNowOn = (event: HistoryEvent): HistoryEvent =>
  event.type === 'key-known' ? { ...event, key: { ...event.key, usedToday: null } } : event;

describe('what a limiter that keeps the rules is seen to keep', () => {
  test('a few requests show that Remaining falls, and nothing of a limit', () => {
    expect(passed([send(3)])).toEqual({ 'remaining-falls': 3 });
  });

  test('a minute that is used up, and waited for', () => {
    expect(passed([send(25), WAIT, send(1)])).toEqual({
      'remaining-falls': 21,
      'minute-limit-free': 1,
      'refusal-is-429': 1,
      'retry-after-plausible': 1,
      'retry-after-honoured': 1,
      'limit-renews': 1,
      'ban-only-after-continued': 1,
    });
  });

  test('a second minute, a day and the end of a ban', () => {
    const minutes = [send(25), pause(133), send(25), pause(133), send(15)];
    expect(passed(minutes)).toMatchObject({ 'minute-limit-free': 2, 'day-limit-free': 1 });
    expect(passed([send(40, { stops: false }), WAIT, send(1)])).toMatchObject({ 'ban-ends': 1 });
  });

  test('the end of a ban that whole seconds name later in an answer than in the last', () => {
    const late = [pause(0.95), send(1), pause(0.1), send(1), pause(299.05), send(1)];
    expect(passed([send(27, { stops: false }), ...late])).toMatchObject({ 'ban-ends': 1 });
  });

  test('no ban in a wait that is told by seconds, and then as a date of which nobody knows by which clock', () => {
    const oracle = openOracle(followServerClock(), [limitsMonitor]);
    const held = new Set<RequirementId>();
    let refusals = 0;
    const limiter = (usedToday: number) => createLimiter({ ...LIMITER, ban: null }, usedToday);
    const hear = (event: HistoryEvent): HistoryEvent => {
      if (event.type !== 'response-received') {
        return event;
      }
      const { response, receivedAt } = event.exchange;
      const isRefused = response.status === 429;
      refusals += isRefused ? 1 : 0;
      const late = [
        'Retry-After',
        new Date(LIMITER.skew * 1000 + receivedAt + 66_000).toUTCString(),
      ] as const;
      const headers = response.headers.filter(([name]) => name !== 'Date');
      const told = isRefused && refusals > 1 ? headers.filter(([name]) => name !== 'Retry-After') : headers;
      const all = told === headers ? headers : [...told, late];
      return { ...event, exchange: { ...event.exchange, response: { ...response, headers: all } } };
    };
    play(
      LIMITER,
      [{ usedToday: 0, steps: [send(30, { stops: false })] }],
      7,
      (event) => oracle.accept(hear(event)).forEach(({ id, holds }) => holds && held.add(id)),
      limiter,
    );
    expect([...held]).toContain('minute-limit-free');
    expect([...held]).not.toContain('ban-answer');
  });

  test('the end of a ban of which nobody told when it is', () => {
    const silent = changed(
      () => (decision) => (decision.outcome === 'banned' ? { ...decision, wait: null } : decision),
    );
    const steps = [send(40, { stops: false }), pause(400), send(1)];
    for (const hear of [undefined, fromNowOn]) {
      const held = judge(silent, steps, [], hear).flatMap(({ id, holds }) => (holds ? [id] : []));
      expect(held).toContain('ban-ends');
      expect(held).not.toContain('retry-after-honoured');
    }
  });

  test('a minute that begins soon after the last request of another', () => {
    // The first refusal comes before the last of the granted requests is answered.
    const steps = [send(1), pause(56), send(4), pause(6), send(1), send(24, { lanes: 5, stops: false })];
    expect(passed(steps)).toMatchObject({ 'minute-limit-free': 2, 'limit-under-concurrency': 1 });
  });

  test('requests at once that reach the limit', () => {
    expect(passed([send(25, { lanes: 5, stops: false })])).toHaveProperty('limit-under-concurrency');
  });

  test('a limit that several requests met at once, of which a refused one was not the last to be answered', () => {
    const atOnce = [send(21, { lanes: 21, latency: 50, stops: false })];
    expect(passed(atOnce)).toMatchObject({ 'limit-under-concurrency': 1, 'minute-limit-free': 1 });
    for (const [limiter, steps] of [
      [withLimits({ perMinute: 18 }), atOnce],
      [granting(21), [send(30, { lanes: 13, latency: 50, stops: false })]],
    ] as const) {
      const held = judge(limiter, steps).flatMap(({ id, holds }) => (holds ? [id] : []));
      expect(held).not.toContain('limit-under-concurrency');
      expect(held).not.toContain('minute-limit-free');
    }
  });
});

/** Of whose use nobody knows anything. */
const ofOthers = (event: HistoryEvent): HistoryEvent =>
  event.type === 'key-known'
    ? { ...event, key: { ...event.key, usedToday: null, isExclusive: false } }
    : event;
const fallingBy = (falls: readonly number[]) =>
  changed(() => {
    let fallen = 0;
    let requests = 0;
    let before = 0;
    return (decision) => {
      fallen = (decision.remaining > before ? 0 : fallen) + (falls[requests % falls.length] ?? 1) - 1;
      before = decision.remaining;
      requests += 1;
      return { ...decision, remaining: decision.remaining - fallen };
    };
  });

/** Says 20, and grants so many. */
const granting =
  (perMinute: number): LimiterOf =>
  (usedToday) => {
    const decide = withLimits({ perMinute })(usedToday);
    return (...asked) => {
      const decision = decide(...asked);
      return { ...decision, limit: 20, remaining: Math.max(0, decision.remaining + 20 - perMinute) };
    };
  };

describe('a key that others may use', () => {
  test.each([
    ['by two each time', [2], ['remaining-falls']],
    ['by one each time', [1], []],
    ['as somebody else uses it', [2, 2, 3, 2, 1], []],
  ])('whose Remaining falls %s', (_how, falls, ids) => {
    expect(accuse(fallingBy(falls), [send(14)], [], ofOthers).ids).toEqual(ids);
  });

  const frozen = changed(() => (decision) => ({ ...decision, remaining: 19 }));
  const twoAMinute = Array.from({ length: 12 }, () => [send(2), pause(29)]).flat();

  test.each([
    ['stands still', frozen, [send(3)], ['remaining-falls']],
    ['stands still, and was asked for in vain', frozen, [send(2)], []],
    ['is whole in each minute', RIGHT, [send(3), pause(58), send(3), pause(58), send(3)], []],
    ['is whole in each minute, which its requests meet by two', RIGHT, twoAMinute, []],
  ])('whose Remaining %s', (_how, limiter, steps, ids) => {
    expect(accuse(limiter, steps, [], ofOthers).ids).toEqual(ids);
  });

  test.each([
    ['one more than its limit', 21, [send(21, { gap: 200 })], ['minute-limit-free']],
    ['one more than its limit, in a moment', 21, [send(21)], []],
    ['its limit in each of two windows', 20, [send(15, { gap: 200 }), pause(58), send(20, { gap: 200 })], []],
  ])('that is granted %s', (_what, limit, steps, ids) => {
    expect(accuse(granting(limit), steps, [], ofOthers).ids).toEqual(ids);
  });

  test.each([
    ['by two with each update', [1, 2], ['remaining-falls']],
    ['by one or three with an update', [1, 1, 1, 3], []],
    ['by two with each update, and with what else it sends', [2, 2, 3, 2], []],
  ])('whose Remaining falls %s', (_how, falls, ids) => {
    const limiter = fallingBy(falls);
    const eight = Array.from({ length: 8 }, () => [send(1), pause(1)]).flat();
    const steps = [...eight, pause(60), ...eight, pause(60), ...eight];
    let answers = 0;
    const hear = (event: HistoryEvent): HistoryEvent => {
      if (event.type !== 'response-received') {
        return ofOthers(event);
      }
      answers += 1;
      const { exchange } = event;
      const operation = answers % 2 === 0 ? 'updateInventory' : 'listInventory';
      return { ...event, exchange: { ...exchange, request: { ...exchange.request, operation } } };
    };
    expect(accuse(limiter, steps, [], hear).ids).toEqual(ids);
  });
});

const spelledOtherwise = <Message extends { readonly request: object }>(message: Message): Message => ({
  ...message,
  request: { ...message.request, operation: null, path: '//inventory' },
});

const everyFourthSpelledOtherwise = (event: HistoryEvent): HistoryEvent => {
  if (event.type === 'request-sent' && event.id % 4 === 0) {
    return spelledOtherwise(event);
  }
  return event.type === 'response-received' && event.id % 4 === 0
    ? { ...event, exchange: spelledOtherwise(event.exchange) }
    : event;
};

test.each([
  [5, true],
  [0, false],
])('of %i requests sent one by one, a spelling counts as any other: %s', (first, counts) => {
  const steps = [send(first), send(30 - first, { lanes: 8, stops: false })];
  const shown = judge(RIGHT, steps, [], everyFourthSpelledOtherwise).map(({ id }) => id);
  expect(shown.includes('minute-limit-free')).toBe(counts);
});
