import { expect, test, vi } from 'vitest';

import { openBacklog, type PassedStep } from './backlog.ts';

function openLogged() {
  const handed: (readonly PassedStep[])[] = [];
  return { handed, backlog: openBacklog((steps) => handed.push(steps)) };
}

const end = (id: number): PassedStep => ({ step: 'ended', id, response: null, endedAt: 0 });
const missed = (at: number, begun: number, ended: number): PassedStep => ({
  step: 'missed',
  at,
  begun,
  ended,
});

test('steps are handed over in their order, and what was missed in its place, once for all in a row', () => {
  const { handed, backlog } = openLogged();
  backlog.add(end(1), 1);
  backlog.miss(1, 1, 0);
  backlog.miss(2, 1, 0);
  backlog.miss(3, 0, 1);
  backlog.follow(end(2), 1);
  backlog.miss(4, 0, 1);
  expect(handed).toEqual([]);
  backlog.flush();
  backlog.miss(5, 1, 1);
  backlog.flush();
  backlog.flush();
  expect(handed).toEqual([[end(1), missed(3, 2, 1), end(2), missed(4, 0, 1)], [missed(5, 1, 1)]]);
});

test('steps are handed over soon if few come, and at once if many do', () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const { handed, backlog } = openLogged();
    backlog.add(end(0), 1);
    vi.runAllTimers();
    expect(handed).toEqual([[end(0)]]);
    for (let id = 1; id <= 150; id += 1) {
      backlog.add(end(id), 1);
    }
    expect(handed.flat()).toHaveLength(101);
    vi.runAllTimers();
    expect(handed.flat()).toHaveLength(151);
  } finally {
    vi.useRealTimers();
  }
});

test.each([
  ['steps', 1, 2_000],
  ['bytes', 1024 * 1024, 64],
])(
  'there is no room for more %s than it holds until they are judged, but for what follows',
  (_what, bytes, most) => {
    const { handed, backlog } = openLogged();
    for (let added = 0; added < most; added += 1) {
      expect(backlog.add(end(added), bytes)).toBe(true);
    }
    expect(backlog.add(end(most), bytes)).toBe(false);
    backlog.follow(end(most), bytes);
    backlog.flush();
    expect(handed.flat()).toHaveLength(most + 1);
    expect(backlog.add(end(0), bytes)).toBe(false);
    handed.forEach(backlog.done);
    expect(backlog.add(end(0), bytes)).toBe(true);
    backlog.flush();
  },
);
