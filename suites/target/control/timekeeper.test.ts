import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { followServerClock } from '../../oracle/index.ts';
import {
  keepTime,
  LONGEST_REAL_WAIT_SECONDS,
  WaitTooLong,
  type MovableClock,
  type Timekeeper,
} from './timekeeper.ts';

const SERVER_START = 1_800_000_000;
const TOLERANCE_SECONDS = 1e-3;

interface ControlledClock {
  readonly control: MovableClock;
  /** The server's time by its own clock, in Unix seconds. */
  readonly serverNow: () => number;
  /** By how many seconds it was moved, each time. */
  readonly moves: readonly number[];
}

/** What a control clock makes of real time and of what it is told; as it is meant to by default. */
interface ClockManner {
  /** By how many seconds it goes in a real second. */
  readonly rate?: number;
  readonly move?: (seconds: number) => number;
  readonly tell?: (now: number) => number;
  /** For so many milliseconds the answer to each call is under way; to further calls there is none to wait for. */
  readonly underWay?: readonly number[];
}

/** A control clock that stands still or flows between two moves; `beforeMove` sees when it is moved. */
function controlledClock(
  flows: boolean,
  beforeMove: () => void = () => {},
  { rate = 1, move = (seconds) => seconds, tell = (now) => now, underWay = [] }: ClockManner = {},
): ControlledClock {
  const began = performance.now();
  const moves: number[] = [];
  let moved = 0;
  const serverNow = (): number =>
    SERVER_START + moved + (flows ? (rate * (performance.now() - began)) / 1000 : 0);
  const read = () => {
    const sentAt = performance.now();
    return { now: tell(serverNow()), sentAt, receivedAt: performance.now() };
  };
  return {
    control: {
      flows,
      reading: read(),
      move: async (seconds) => {
        beforeMove();
        moved += move(seconds);
        moves.push(seconds);
        const reading = read();
        const wait = underWay[moves.length - 1];
        await (wait === undefined ? turn() : pause(wait));
        return { ...reading, receivedAt: performance.now() };
      },
    },
    serverNow,
    moves,
  };
}

const unaborted = new AbortController().signal;

/** Time over such a clock, and what is known of the server's. */
function keep(...manner: Parameters<typeof controlledClock>) {
  const clock = controlledClock(...manner);
  const server = followServerClock();
  return { clock, server, time: keepTime(clock.control, server, unaborted) };
}

// Moments that lie this close together may come in one move of a clock that flows.
const A_SECOND = 1_000;

describe.each([
  ['a clock that stands still', false, 0],
  ['a clock that flows', true, A_SECOND],
])('virtual time over %s', (_name, flows, togetherMilliseconds) => {
  const plans = fc.array(fc.array(fc.integer({ min: 0, max: 90_000 }), { maxLength: 4 }), {
    minLength: 1,
    maxLength: 6,
  });

  test('moves only when every participant sleeps, never wakes early, and wakes in order', async () => {
    await fc.assert(
      fc.asyncProperty(plans, async (plan) => {
        let awake = 0;
        const { clock, time } = keep(flows, () => expect(awake).toBe(0));
        const woken: number[] = [];
        await Promise.all(
          plan.map((sleeps) =>
            time.participate(async () => {
              awake += 1;
              for (const milliseconds of sleeps) {
                await turn();
                const due = time.now() + milliseconds;
                const dueForServer = clock.serverNow() + milliseconds / 1000;
                awake -= 1;
                await time.sleep(milliseconds / 1000, 'a window');
                awake += 1;
                expect(time.now()).toBeGreaterThanOrEqual(due - TOLERANCE_SECONDS);
                expect(clock.serverNow()).toBeGreaterThanOrEqual(dueForServer - TOLERANCE_SECONDS);
                woken.push(due);
              }
              awake -= 1;
            }),
          ),
        );
        const early = woken.filter((due, index) => due < (woken[index - 1] ?? due) - togetherMilliseconds);
        expect(early).toEqual([]);
      }),
      { numRuns: 60 },
    );
  });

  test('knows the time of the server after any number of moves', async () => {
    const { clock, server, time } = keep(flows);
    await time.participate(async () => {
      for (const seconds of [0, 0.5, 60, 86_400]) {
        await time.sleep(seconds, 'a window');
        const before = clock.serverNow();
        const span = server.at(time.now());
        const after = clock.serverNow();
        expect(span?.earliest).toBeLessThanOrEqual(after + TOLERANCE_SECONDS);
        expect(span?.latest).toBeGreaterThanOrEqual(before - TOLERANCE_SECONDS);
      }
    });
    expect(server.source).toBe('control');
  });

  test.each([
    ['one answer', [1, 1, 120]],
    ['each answer to one move', [1, 1, 120, 120, 120, 120]],
  ])('knows the time of the server after %s was long under way', async (_which, underWay) => {
    const { clock, server, time } = keep(flows, undefined, { underWay });
    await time.participate(async () => {
      for (let sleeps = 0; sleeps < 5; sleeps += 1) {
        await time.sleep(60, 'a window');
        const before = clock.serverNow();
        const span = server.at(time.now());
        expect(span?.latest).toBeGreaterThanOrEqual(before - TOLERANCE_SECONDS);
        expect(span?.earliest).toBeLessThanOrEqual(clock.serverNow() + TOLERANCE_SECONDS);
      }
    });
  });

  test('waits for the others however many sleep at once in the place of one participant', async () => {
    const { clock, time } = keep(flows);
    const asleep = Array.from({ length: 3 }, () => () => time.sleep(60, 'room in a limit'));
    const sleeping = time.participate(() => time.sideBySide(asleep));
    await time.participate(async () => {
      for (let turns = 0; turns < 20; turns += 1) {
        await turn();
      }
      expect(clock.moves).toEqual([]);
    });
    await sleeping;
  });

  test('moves on past one who is parked, and waits for one who was resumed', async () => {
    const { clock, time } = keep(flows);
    const events: string[] = [];
    let wake: (() => void) | undefined;
    const parked = time.participate(async () => {
      const parking = time.park();
      wake = parking.resume;
      await parking.parked;
      const { length } = clock.moves;
      for (let turns = 0; turns < 20; turns += 1) {
        await turn();
      }
      // Nobody moves the clock under a participant that runs.
      expect(clock.moves).toHaveLength(length);
      events.push('resumed');
    });
    const sleeper = time.participate(async () => {
      await time.sleep(60, 'a window');
      wake?.();
      wake?.();
      await time.sleep(60, 'the next window');
      events.push('slept');
    });
    await Promise.all([parked, sleeper]);
    expect(events).toEqual(['resumed', 'slept']);
    expect(clock.moves.reduce((sum, seconds) => sum + seconds, 0)).toBeGreaterThan(119);
  });

  test('tells what is slept for', async () => {
    const { time } = keep(flows);
    await Promise.all([
      time.participate(() => time.sleep(60, 'a fresh window for free#1')),
      time.participate(async () => {
        await turn();
        expect(time.sleeping()).toEqual([{ why: 'a fresh window for free#1', secondsLeft: 0 }]);
      }),
    ]);
    expect(time.sleeping()).toEqual([]);
    expect(time.virtual).toBe(true);
  });
});

describe.each<[string, ClockManner]>([
  ['loses 20 ms at each move', { move: (seconds) => Math.max(0, seconds - 0.02) }],
  ['loses 20 ms at each move, however short', { move: (seconds) => seconds - 0.02 }],
  ['gains 20 ms at each move', { move: (seconds) => seconds + 0.02 }],
  ['loses 2 % of real time', { rate: 0.98 }],
  ['gains 2 % of real time', { rate: 1.02 }],
  ['loses 40 % of real time', { rate: 0.6 }],
  ['gains 40 % of real time', { rate: 1.4 }],
  ['moves an hour at most', { move: (seconds) => Math.min(seconds, 3_600) }],
  ['moves by whole minutes, rounded up', { move: (seconds) => Math.ceil(seconds / 60) * 60 }],
  ['tells whole seconds', { tell: Math.floor }],
  ['tells the nearest whole second', { tell: Math.round }],
])('a clock that %s', (_name, manner) => {
  test('has gone on by each wait when that is over, however much real time passes between two waits', async () => {
    const { clock, time } = keep(true, () => {}, manner);
    await time.participate(async () => {
      for (const [pause, seconds] of [
        [0, 5],
        [40, 0.01],
        [300, 0.3],
        [1, 60],
        [40, 86_400],
      ] as const) {
        const began = performance.now();
        while (performance.now() - began < pause) {
          await turn();
        }
        const [before, serverBefore] = [time.now(), clock.serverNow()];
        await time.sleep(seconds, 'a wait');
        expect(clock.serverNow() - serverBefore).toBeGreaterThanOrEqual(seconds - TOLERANCE_SECONDS);
        expect(time.now() - before).toBeGreaterThanOrEqual(seconds * 1000 - TOLERANCE_SECONDS);
      }
    });
  });

  test('is as far as the run takes it to be', async () => {
    const { clock, time } = keep(true, () => {}, manner);
    const [before, serverBefore] = [time.now(), clock.serverNow()];
    await time.participate(async () => {
      for (let waits = 0; waits < 40; waits += 1) {
        await time.sleep(0.3, 'a wait');
      }
    });
    const passed = clock.serverNow() - serverBefore;
    // Two readings of a whole second each.
    expect(Math.abs((time.now() - before) / 1000 - passed)).toBeLessThanOrEqual(2);
  });
});

test.each([1.02, 1.4, 0.98, 0.6])(
  'a clock seen to go by %s of real time is followed however long nobody reads it again',
  async (rate) => {
    const clock = controlledClock(true, () => {}, { rate });
    const serverClock = followServerClock();
    const time = keepTime(clock.control, serverClock, unaborted);
    await time.participate(async () => {
      for (const milliseconds of [300, 600]) {
        const began = performance.now();
        while (performance.now() - began < milliseconds) {
          await turn();
        }
        const before = clock.serverNow();
        const span = serverClock.at(time.now());
        // What goes a little wrongly is allowed for before it is seen.
        const isSeen = milliseconds === 600 || Math.abs(rate - 1) < 0.03;
        expect(isSeen ? span?.earliest : 0).toBeLessThanOrEqual(clock.serverNow() + TOLERANCE_SECONDS);
        expect(isSeen ? span?.latest : Infinity).toBeGreaterThanOrEqual(before - TOLERANCE_SECONDS);
        await time.sleep(1, 'a wait');
      }
    });
  },
);

test('a participant that throws leaves the others to sleep on', async () => {
  const { clock, time } = keep(false);
  const failing = time.participate(() => Promise.reject(new Error('a check failed')));
  const sleeping = time.participate(() => time.sleep(60, 'a window'));
  await expect(failing).rejects.toThrow('a check failed');
  await sleeping;
  expect(clock.moves).toEqual([60]);
});

test('a sleep after the last participant has left moves the clock as well', async () => {
  const { clock, time } = keep(false);
  await time.participate(() => Promise.resolve());
  await time.sleep(60, 'room in the limit of a key');
  expect(clock.moves).toEqual([60]);
});

test('a clock that cannot be moved fails every sleep', async () => {
  const { control } = controlledClock(false);
  const broken: MovableClock = { ...control, move: () => Promise.reject(new Error('no clock')) };
  const time = keepTime(broken, followServerClock(), unaborted);
  const results = await Promise.allSettled(
    [10, 20].map((seconds) => time.participate(() => time.sleep(seconds, 'a window'))),
  );
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
});

/** Time that never passes of itself, so that only the abort can end a sleep. */
const endless = (signal: AbortSignal): Timekeeper => {
  const { control } = controlledClock(false);
  const stuck: MovableClock = { ...control, move: () => Promise.withResolvers<never>().promise };
  return keepTime(stuck, followServerClock(), signal);
};

describe('an abort', () => {
  test.each([
    ['virtual', endless],
    ['real', (signal: AbortSignal) => keepTime(null, followServerClock(), signal)],
  ])('ends every sleep in %s time with its reason', async (_name, start) => {
    const controller = new AbortController();
    const time = start(controller.signal);
    const sleeps = [100, 120].map((seconds) => time.participate(() => time.sleep(seconds, 'a window')));
    const settled = Promise.allSettled(sleeps);
    await turn();
    const reason = new Error('Ctrl-C');
    controller.abort(reason);
    expect(await settled).toEqual([
      { status: 'rejected', reason },
      { status: 'rejected', reason },
    ]);
    expect(time.sleeping()).toEqual([]);
    await expect(time.sleep(1, 'a window')).rejects.toBe(reason);
  });
});

describe('real time', () => {
  test('lets every sleeper sleep at least as long as it asked for', async () => {
    const time = keepTime(null, followServerClock(), unaborted);
    expect(time.virtual).toBe(false);
    await Promise.all(
      [0, 0.001, 0.0155, 0.03].map((seconds) =>
        time.participate(async () => {
          const began = performance.now();
          await time.sleep(seconds, 'a moment');
          expect(performance.now() - began).toBeGreaterThanOrEqual(seconds * 1000);
        }),
      ),
    );
  });

  test('does not sit through a wait of more than two windows, which virtual time takes', async () => {
    const time = keepTime(null, followServerClock(), unaborted);
    const tooLong = time.participate(() => time.sleep(LONGEST_REAL_WAIT_SECONDS + 1, 'a ban'));
    await expect(tooLong).rejects.toBeInstanceOf(WaitTooLong);
    await time.participate(() => time.sleep(0.001, 'a moment'));
    const virtual = keepTime(controlledClock(false).control, followServerClock(), unaborted);
    await virtual.participate(() => virtual.sleep(LONGEST_REAL_WAIT_SECONDS + 1, 'a ban'));
    expect(virtual.now()).toBe((LONGEST_REAL_WAIT_SECONDS + 1) * 1000);
  });

  test('tells how long a sleep may last yet', async () => {
    const controller = new AbortController();
    const time = keepTime(null, followServerClock(), controller.signal);
    const sleep = time.participate(() => time.sleep(120, 'two minutes'));
    const [sleeping] = time.sleeping();
    expect(sleeping?.why).toBe('two minutes');
    expect(sleeping?.secondsLeft).toBeGreaterThan(0);
    expect(sleeping?.secondsLeft).toBeLessThanOrEqual(120);
    controller.abort(new Error('Ctrl-C'));
    await expect(sleep).rejects.toThrow('Ctrl-C');
  });
});
