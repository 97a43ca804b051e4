import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import type { HeaderField } from '../../contract/verdict.ts';
import type { Alteration } from '../../reference-server/index.ts';
import { createRedactor } from '../../suites/target/index.ts';
import {
  findBaseAddress,
  judgeRecordings,
  noteNothingToJudge,
  type TrafficExchange,
  type TrafficFindings,
} from '../../suites/watch/index.ts';
import { alterationOf } from '../verify/run.test-data.ts';
import {
  BASE,
  KEY,
  failedIn,
  askForList,
  record,
  setTo,
  whole,
  type Sent,
} from './recorded-traffic.test-data.ts';

const judge = (...recordings: readonly (readonly TrafficExchange[])[]): TrafficFindings =>
  judgeRecordings(recordings.map(whole), {
    base: BASE,
    keys: [],
    redactor: createRedactor(),
    isExclusive: false,
  });

const altered = (
  recorded: readonly TrafficExchange[],
  alter: (exchange: TrafficExchange) => Partial<TrafficExchange>,
): readonly TrafficExchange[] => recorded.map((exchange) => Object.assign({}, exchange, alter(exchange)));

/** Two captures in one file, the second by a clock that is so many milliseconds ahead. */
const merged = (
  [first = [], second = []]: readonly (readonly TrafficExchange[])[],
  ahead: number,
): readonly TrafficExchange[] => [
  ...first,
  ...altered(second, ({ request, endedAt }) => ({
    request: { ...request, sentAt: request.sentAt + ahead },
    endedAt: endedAt + ahead,
  })),
];

const anyTraffic = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: fc.constant(askForList) },
    { weight: 3, arbitrary: fc.nat(900).map(setTo) },
    fc.constantFrom<Sent>(
      [null, 'GET', '/inventory'],
      ['nobody', 'GET', '/inventory'],
      ['good', 'PATCH', '/inventory/1', '{}'],
      ['good', 'PATCH', '/inventory/404404404', '{"quantity":1}'],
      ['good', 'GET', '/store/orders'],
      ['good', 'GET', '/inventory?page=2'],
    ),
  ),
  { maxLength: 90 },
);

describe('a service that keeps the specification is not accused', () => {
  test('whatever was recorded of it, by whatever clock', async () => {
    await fc.assert(
      fc.asyncProperty(
        anyTraffic,
        fc.constantFrom(-40, 0, 40),
        fc.infiniteStream(fc.nat(9)),
        async (traffic, skew, chance) => {
          const recorded = await record(traffic, { skew });
          const seen = recorded.filter(() => chance.next().value !== 0);
          const halves = [
            seen.filter((_, index) => index % 2 === 0),
            seen.filter((_, index) => index % 2 === 1),
          ];
          expect(failedIn(judge(seen))).toEqual([]);
          expect(failedIn(judge(...halves))).toEqual([]);
          expect(failedIn(judge(merged(halves, 40_000)))).toEqual([]);
        },
      ),
      { numRuns: 100 },
    );
  });

  test('if what the service answered was not recorded', async () => {
    const recorded = await record([
      askForList,
      setTo(5),
      askForList,
      ['good', 'PATCH', '/inventory/1', '{}'],
    ]);
    const bare = altered(recorded, ({ response }) => ({
      response: response && { ...response, body: undefined },
    }));
    expect(failedIn(judge(bare))).toEqual([]);
  });

  test('if something before it answers a request that is malformed', async () => {
    const field: HeaderField = ['Authorization', 'Bearer other'];
    const malformed = altered(await record([askForList]), ({ request }) => ({
      request: { ...request, headers: [...request.headers, field] },
      response: { status: 400, headers: [], body: Buffer.from('Bad Request') },
    }));
    expect(failedIn(judge(malformed))).toEqual([]);
  });

  test('if a request without Authorization may sign in by other means, whose values are not kept', async () => {
    const signedIn = altered(await record([askForList]), ({ request }) => ({
      request: { ...request, headers: [['Cookie', 'session=S3cr3t-Value']] },
      response: { status: 200, headers: [], body: Buffer.from('[]') },
    }));
    const withKey = await record([askForList]);
    const findings = judge([...withKey, ...signedIn]);
    expect(failedIn(findings).toSorted()).toEqual([
      'content-type-json',
      'header-limit',
      'header-remaining',
      'header-reset',
    ]);
    expect(JSON.stringify(findings)).not.toContain('S3cr3t-Value');
  });

  test.each([
    [12, [], { exchanges: 18, local: 12 }],
    [30, ['header-limit', 'header-remaining', 'header-reset', 'list-succeeds'], { exchanges: 9, local: 21 }],
  ])('if a gateway answers by itself now and then: %i of 30', async (pages, failed, counts) => {
    const body = Buffer.from('<h1>Service Unavailable</h1>');
    const response = { status: 503, headers: [['Server', 'nginx']] as const, body };
    const recorded = await record(Array.from({ length: 30 }, () => askForList));
    const findings = judge([
      ...altered(recorded.slice(0, pages), () => ({ response })),
      ...recorded.slice(pages),
    ]);
    expect(
      failedIn(findings)
        .filter((id) => id !== 'no-server-error')
        .toSorted(),
    ).toEqual(failed);
    expect(findings).toMatchObject(counts);
  });

  test('if bodies and credentials were left out', async () => {
    const recorded = await record([askForList, setTo(5), askForList, [null, 'GET', '/inventory']]);
    const bare = altered(recorded, ({ request, response }) => ({
      request: { ...request, headers: [], body: request.body === null ? null : undefined },
      response: response && { ...response, body: undefined },
    }));
    const findings = judge(bare);
    expect(failedIn(findings)).toEqual([]);
    expect(findings).toMatchObject({ exchanges: 4, withoutBody: 4 });
  });
});

test('a pet that is listed twice is found', async () => {
  const recorded = await record([askForList, setTo(5), askForList], {
    alterations: [alterationOf('list-repeats-first-entry')],
  });
  expect(failedIn(judge(recorded))).toContain('list-one-entry-per-pet');
});

test.each<[string, Sent, boolean]>([
  ['may come from the recorder if a double holds each petId', askForList, true],
  [
    'may not if an answer has one that no double holds',
    ['good', 'PATCH', `/inventory/${2n ** 53n + 1n}`, '{"quantity":5}'],
    false,
  ],
])('the loss of the last digits %s', async (_whose, last, isNoted) => {
  const recorded = await record([askForList, last], { alterations: [alterationOf('pet-id-as-double')] });
  const { judgements } = judge(recorded);
  const messages = judgements.flatMap(({ findings }) => findings.map(({ message }) => message));
  expect(messages.some((message) => message.includes('its recorder may have rounded it'))).toBe(isNoted);
  expect(messages.join(' ')).toContain('does not fit int64');
});

/** What is found if a list is also granted to this Authorization field. */
const failedFor = async (value: string, more: readonly HeaderField[] = []) => {
  const recorded = await record([askForList, askForList]);
  const odd = altered(recorded.slice(1), ({ request, endedAt }) => ({
    request: { ...request, headers: [['Authorization', value], ...more], sentAt: endedAt + 1 },
    endedAt: endedAt + 2,
  }));
  return failedIn(judge([...recorded, ...odd]));
};

describe('a known key', () => {
  test.each([
    ['under another scheme', `Basic ${KEY}`, 'bearer-scheme'],
    ['in base64', `Basic ${Buffer.from(`${KEY}:`).toString('base64')}`, 'bearer-scheme'],
    ['bare', KEY, 'bearer-scheme'],
    ['left out', 'Bearer ', 'missing-key'],
  ])('is not accepted %s', async (_how, value, id) => {
    expect(await failedFor(value)).toEqual([id]);
  });

  test.each([
    ['with more space', `Bearer  ${KEY}`],
    ['in small letters of the scheme', `bearer ${KEY}`],
    ['with something after it', `Bearer ${KEY} more`],
    ['in another letter-case, which may be another key', `Bearer ${KEY.toUpperCase()}`],
    ['nowhere, under a scheme of something before the service', 'Basic dXNlcjpwYXNzd29yZA=='],
  ])('may be accepted %s', async (_how, value) => {
    expect(await failedFor(value)).toEqual([]);
  });

  test('may be accepted beside what else may sign in', async () => {
    expect(await failedFor(KEY, [['X-Session', 'abc']])).toEqual([]);
  });
});

const failedIfOurs = (recorded: readonly TrafficExchange[]) => {
  const key = { key: KEY, label: 'free#1', plan: 'free', limits: null } as const;
  const keys = [{ ...key, limits: { perMinute: 60, perDay: 1_000 } }];
  return failedIn(
    judgeRecordings([whole(recorded)], { base: BASE, keys, redactor: createRedactor(), isExclusive: true }),
  );
};

const failedWith = async (alteration: Alteration) =>
  failedIfOurs(
    await record([askForList, askForList, askForList, askForList], { alterations: [alteration], every: 70 }),
  );

describe('beside requests that were not recorded as a whole, a key that nobody else uses', () => {
  const asked = Array.from({ length: 30 }, () => askForList);
  const updated = Array.from({ length: 70 }, (_, number) => setTo(number));

  test('may have sent those without any header field', async () => {
    let number = 0;
    const lacking = altered(await record(asked, { every: 1 }), ({ request }) => {
      number += 1;
      return number % 6 === 1 ? {} : { request: { ...request, headers: [] } };
    });
    expect(failedIfOurs(lacking)).toEqual([]);
  });

  test('is counted by those without a body', async () => {
    const recorded = await record(updated, { alterations: [alterationOf('minute-free-one-more')] });
    const lacking = altered(recorded, ({ request }) => ({ request: { ...request, body: undefined } }));
    expect(failedIfOurs(lacking)).toEqual(['minute-limit-free']);
  });
});

const refusing = (fits: (number: number) => boolean): Alteration => {
  let number = 0;
  return {
    parts: ({ authenticate }) => ({
      authenticate: (request, keys) => {
        number += 1;
        return fits(number) ? 'invalid' : authenticate(request, keys);
      },
    }),
  };
};

describe('a key that nobody else uses, and that is refused once with 401', () => {
  test('was refused wrongly if it is accepted before and after', async () => {
    expect(await failedWith(refusing((number) => number === 3))).toEqual(['valid-key-accepted']);
  });

  test('may be revoked if it is not accepted again', async () => {
    expect(await failedWith(refusing((number) => number >= 3))).toEqual([]);
  });

  test('may have been issued meanwhile if it was not accepted before', async () => {
    expect(await failedWith(refusing((number) => number === 1))).toEqual([]);
  });
});

const withField = (
  recorded: readonly TrafficExchange[],
  ...fields: readonly HeaderField[]
): readonly TrafficExchange[] =>
  altered(recorded, ({ request }) => ({
    request: { ...request, headers: [...request.headers, ...fields] },
  }));

describe('a header field of a request', () => {
  test.each<HeaderField>([
    ['Cookie', '_ga=1; theme=dark'],
    ['Expect', '100-continue'],
    ['Idempotency-Key', '8f'],
    ['If-Match', '"1"'],
    ['If-Modified-Since', 'Mon, 30 Nov 2026 06:00:00 GMT'],
    ['If-None-Match', 'W/"1"'],
    ['Origin', 'https://shop.example'],
    ['Signature', 'sig1=:YQ==:'],
    ['Transfer-Encoding', 'chunked'],
    ['Upgrade', 'h2c'],
    ['X-Api-Version', '1.0'],
    ['X-Forwarded-Host', 'shop.example'],
    ['X-Nobody-Knows', '1'],
    ['X-Session-Id', 's'],
    ['X-XSRF-TOKEN', 't'],
  ])('excuses nothing that it is no reason for: %s', async (...field) => {
    const recorded = await record([askForList, setTo(5), ['good', 'PATCH', '/inventory/1', '{}']]);
    const accepted = altered(recorded.slice(2), () => ({ response: recorded[1]?.response ?? null }));
    const findings = judge([...recorded, ...withField(accepted, field)]);
    expect(failedIn(findings)).toEqual(['update-missing-quantity']);
    expect(findings).toMatchObject({ leftOpen: 0 });
    const open = judge([...recorded, ...withField(accepted, ['X-HTTP-Method-Override', 'PUT'])]);
    expect(failedIn(open)).toEqual([]);
    expect(open).toMatchObject({ leftOpen: 1 });
  });

  test.each<[number, ...HeaderField]>([
    [204, 'Prefer', 'return=minimal'],
    [204, 'X-Api-Version', '2026-01-01'],
    [304, 'If-None-Match', 'W/"1"'],
    [401, 'X-Api-Key', 'other'],
    [403, 'Origin', 'https://shop.example'],
    [406, 'Accept', 'text/xml'],
    [412, 'If-Match', '"1"'],
    [419, 'X-XSRF-TOKEN', 't'],
    [431, 'X-Nobody-Knows', 'x'.repeat(2_000)],
  ])('may be the reason of a %i: %s', async (status, ...field) => {
    const recorded = await record([askForList, askForList]);
    const refused = altered(recorded.slice(1), ({ response }) => ({
      response: response && { ...response, status },
    }));
    expect(failedIn(judge([...recorded.slice(0, 1), ...withField(refused, field)]))).not.toContain(
      'list-succeeds',
    );
  });

  test('that was there before has a server repeat its answer, and change nothing', async () => {
    const recorded = await record([askForList, setTo(5), setTo(7), askForList], { every: 2 });
    const [first, second, third, last] = recorded.map((one) => [one]);
    const key: HeaderField = ['Idempotency-Key', '8f'];
    const set = withField(second ?? [], key);
    const again = altered(set, ({ request, endedAt }) => ({
      request: { ...request, sentAt: request.sentAt + 3_000 },
      endedAt: endedAt + 3_000,
    }));
    const repeated = [first, set, third, again, last].flatMap((part) => part ?? []);
    const options = { base: BASE, keys: [], redactor: createRedactor(), isExclusive: true };
    expect(failedIn(judgeRecordings([whole(repeated)], options))).toEqual([]);
    const plain = [first, second, third, withField(again, ['Idempotency-Key', 'other']), last];
    const findings = judgeRecordings([whole(plain.flatMap((part) => part ?? []))], options);
    expect(failedIn(findings)).toContain('update-persists');
  });
});

test('what seems to be recorded twice proves nothing, and what names an exchange tells two apart', async () => {
  const recorded = await record(Array.from({ length: 62 }, () => askForList));
  const options = {
    base: BASE,
    keys: [{ key: KEY, label: 'free#1', plan: 'free', limits: { perMinute: 60, perDay: 1_000 } }] as const,
    redactor: createRedactor(),
    isExclusive: true,
  };
  const withIds = withField(recorded, ['X-Request-Id', 'one']);
  const outcomeWith = (id: string) => {
    const more = withField(recorded.slice(59, 60), ['X-Request-Id', id]);
    const { judgements } = judgeRecordings([whole([...withIds, ...more])], options);
    return judgements.find((judgement) => judgement.id === 'minute-limit-free')?.outcome;
  };
  expect(outcomeWith('one')).toBe('inconclusive');
  expect(outcomeWith('another')).toBe('fail');
});

const sentTo = (recorded: readonly TrafficExchange[], url: string): readonly TrafficExchange[] =>
  altered(recorded, ({ request }) => ({ request: { ...request, url } }));

describe('the base address', () => {
  test('is found in the traffic, whatever else was recorded', async () => {
    const recorded = await record([askForList]);
    const traffic = [...recorded, ...sentTo(recorded, 'https://cdn.example/a.js')];
    expect(findBaseAddress(traffic)).toBe(BASE);
    expect(judge(traffic)).toMatchObject({ exchanges: 1, others: 1 });
  });

  test('has to be named if there are several, or none', async () => {
    const recorded = await record([askForList]);
    const moved = sentTo(recorded, 'https://other.example/v1/inventory');
    expect(() => findBaseAddress([...recorded, ...moved])).toThrow(/several base addresses: .*Name the one/);
    expect(findBaseAddress(sentTo(recorded, 'https://cdn.example/a.js'))).toBeNull();
    expect(findBaseAddress([])).toBeNull();
  });

  test('that may be meant is told if nothing went to the one that is named', async () => {
    const recorded = await record([askForList]);
    expect(noteNothingToJudge(recorded, BASE)).toBeNull();
    expect(noteNothingToJudge(recorded, 'https://pets.example')).toMatch(
      /below https:\/\/pets\.example\. .*below https:\/\/pets\.example\/v1: name/,
    );
    const elsewhere = sentTo(recorded, 'https://pets.example/api/inventory');
    expect(findBaseAddress(elsewhere)).toBeNull();
    expect(noteNothingToJudge(elsewhere, null)).toMatch(
      /ends in \/v1\. .*below https:\/\/pets\.example\/api: name/,
    );
    expect(noteNothingToJudge([], null)).toMatch(/ends in \/v1\.$/);
  });
});
