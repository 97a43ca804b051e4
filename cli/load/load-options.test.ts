import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { beforeEach, describe, expect, test } from 'vitest';

import { optionName } from '../library/option-name.ts';
import { LATEST_SET } from '../../contract/requirements/index.ts';
import { temporaryDirectory } from '../run-binary.test-data.ts';
import { DEFAULT_PARAMETERS, LOAD_PARAMETERS, PARAMETER_NAMES } from '../../contract/load-parameters.ts';
import { LOAD_SCENARIOS } from '../../load/index.ts';
import { usageErrorOf } from '../refusal.test-data.ts';
import { readLoadOptions, type LoadFlags, type LoadOptions } from './load-options.ts';

let directory = '';

beforeEach(() => {
  directory = temporaryDirectory();
  writeFileSync(join(directory, 'file.txt'), 'no certificate');
});

const HERE = 'http://127.0.0.1:8080/v1';
const ELSEWHERE = 'https://host.example:8443/v1';
const KEY = ['free=k1'];

/** Of the embedded server, unless a target is named. */
function read(flags: Partial<LoadFlags>, target?: string): LoadOptions {
  const self = target === undefined && flags.config === undefined ? { self: true } : {};
  const defaults = { level: 'must', requirements: LATEST_SET, timeout: '10', ...self };
  return readLoadOptions(target, { ...defaults, ...flags }, { environment: {}, directory });
}

/** Reads options with a configuration file that names these scenarios. */
function configured(
  scenarios: readonly Readonly<Record<string, unknown>>[],
  flags: Partial<LoadFlags> = {},
  target = HERE,
): LoadOptions {
  writeFileSync(
    join(directory, 'config.json'),
    JSON.stringify({ target, keys: { free: ['SECRET'] }, load: { scenarios } }),
  );
  return read({ config: 'config.json', ...flags });
}

function idsOf({ scenarios }: LoadOptions): readonly string[] {
  return scenarios.map(({ scenario }) => scenario.id);
}

function parametersOf({ scenarios }: LoadOptions) {
  return scenarios.map(({ parameters }) => parameters);
}

function thresholdsOf({ scenarios }: LoadOptions): readonly (readonly string[])[] {
  return scenarios.map(({ thresholds }) => thresholds.map(({ expression }) => expression));
}

test('the embedded server is loaded by the usual scenarios', () => {
  const { config, scenarios } = read({ self: true });
  expect(config).toBeNull();
  expect(scenarios.map(({ scenario }) => scenario.id)).toEqual([
    'latency',
    'throughput',
    'mixed',
    'limit-accuracy',
    'fairness',
  ]);
  for (const { scenario, parameters, thresholds } of scenarios) {
    expect(parameters).toEqual({ ...DEFAULT_PARAMETERS, ...scenario.defaults });
    expect(thresholds).toHaveLength(scenario.thresholds.length);
  }
});

test('stdout is for one report', () => {
  expect(read({ json: '-' }).json).toBe('-');
  expect(usageErrorOf(() => read({ json: '-', events: '-' }))).toMatch(
    /^--json and --events exclude each other on stdout/,
  );
});

test('every parameter arrives', () => {
  const options = read(
    {
      key: KEY,
      scenario: ['latency', 'cap*'],
      rate: '500/s',
      duration: '2m',
      connections: '7',
      threads: '3',
      rampUp: '0',
      arrivals: 'poisson',
      writes: '20%',
      rounds: '3',
      maxRate: '900',
      maxRequests: '1000000',
      seed: '4294967295',
    },
    HERE,
  );
  const shape = { rate: 500, duration: 120, connections: 7, threads: 3, rampUp: 0 };
  const common = { ...shape, arrivals: 'poisson', writes: 0.2, maxRate: 900, seed: 4_294_967_295 };
  // The search confirms what it finds; rounds have no meaning for it.
  expect(parametersOf(options)).toEqual([
    { ...common, rounds: 3 },
    { ...common, rounds: 1 },
  ]);
});

test.each<[string, string, readonly string[], readonly string[]]>([
  ['another statistic', 'latency', ['p50<50ms'], ['p50 < 50 ms', 'errors < 0.1%', 'rate >= 99%']],
  ['one of the two', 'latency', ['errors<60%'], ['errors < 60%', 'rate >= 99%']],
  ['both', 'latency', ['rate>=50%', 'errors<100%'], ['rate >= 50%', 'errors < 100%']],
  ['a count', 'fairness', ['lost==0'], ['lost == 0', 'errors < 0.1%', 'refused == 0%']],
  ['what it has not', 'limit-accuracy', ['lost==0'], ['lost == 0']],
])(
  'a threshold on %s leaves %s its own on errors and rates, unless it is one of that name',
  (_what, scenario, threshold, judged) => {
    expect(thresholdsOf(read({ key: KEY, scenario: [scenario], threshold: [...threshold] }, HERE))).toEqual([
      judged,
    ]);
  },
);

test.each([
  ['10', 10],
  ['0.5s', 0.5],
  ['5m', 300],
  ['2h', 7_200],
])('--duration %s is %d seconds', (duration, seconds) => {
  expect(parametersOf(read({ scenario: ['soak'], duration }))).toMatchObject([{ duration: seconds }]);
});

describe('a bad value names its option', () => {
  test.each<[string, Partial<LoadFlags>]>([
    ['--rate must be', { rate: 'fast' }],
    ['--rate must be', { rate: '100/m' }],
    ['--duration must be', { duration: '10d' }],
    ['--duration must be a number of seconds from 0.1 to 604800, or', { duration: '99999m' }],
    ['from 0 to 100 percent, not "120%"', { writes: '120%' }],
    ['--connections must be', { connections: '1.5' }],
    ['--arrivals must be constant or poisson, not "even"', { arrivals: 'even' }],
    ['--writes must be', { writes: '%' }],
    ['--writes asks for updates, and profile safe sends none', { writes: '50%', profile: 'safe' }],
    [
      'capacity is not measured by latency, but by capacity',
      { scenario: ['latency'], threshold: ['capacity>100'] },
    ],
    [
      '--threshold rate >= 99%: rate is not measured by mixed',
      { scenario: ['mixed'], threshold: ['rate>=99%'] },
    ],
    ['--threshold', { threshold: ['p99<soon'] }],
    ['--threshold', { threshold: ['errors<0.1%', ''] }],
  ])('%s %j', (message, flags) => {
    const found = usageErrorOf(() => read(flags));
    expect(found).toContain(message);
    expect(found).not.toContain('SECRET');
  });
});

describe('every parameter', () => {
  const numbers = PARAMETER_NAMES.flatMap((name) => {
    const parameter = LOAD_PARAMETERS[name];
    const user = LOAD_SCENARIOS.find(({ uses }) => uses.includes(name));
    return parameter.kind === 'choice' || user === undefined ? [] : [{ name, parameter, id: user.id }];
  });

  test('is used by a scenario', () => {
    expect(PARAMETER_NAMES.filter((name) => !LOAD_SCENARIOS.some(({ uses }) => uses.includes(name)))).toEqual(
      [],
    );
  });

  test.each(numbers)(
    '$name has the same bounds on the command line and in a configuration',
    ({ name, parameter, id }) => {
      const { minimum, maximum } = parameter;
      for (const value of [minimum, maximum]) {
        // As many as there may be threads.
        const wide = name === 'threads' ? { connections: `${maximum}`, rate: `${maximum}` } : {};
        const ceiling = { maxRate: '1000000', ...wide };
        const [given] = parametersOf(read({ scenario: [id], ...ceiling, [name]: `${value}` }));
        const [fromFile] = parametersOf(
          configured([{ scenario: id, [name]: value }], {
            scenario: [id],
            ...(name === 'maxRate' ? {} : ceiling),
          }),
        );
        expect([given?.[name], fromFile?.[name]]).toEqual([value, value]);
      }
      for (const beyond of [...(minimum === 0 ? [] : [0]), maximum + 1]) {
        expect(usageErrorOf(() => read({ scenario: [id], [name]: `${beyond}` }))).toContain(
          `${optionName(name)} must be`,
        );
        expect(usageErrorOf(() => configured([{ scenario: id, [name]: beyond }]))).toContain(
          `load.scenarios[0].${name} must be`,
        );
      }
    },
  );
});

describe('scenarios', () => {
  test('an unknown one is an error that names the closest', () => {
    const message = usageErrorOf(() => read({ scenario: ['latncy'] }));
    expect(message).toContain('--scenario');
    expect(message).toContain('latency');
    expect(message).toContain('stockcheck load --list');
  });

  test('a pattern may name all of them', () => {
    expect(idsOf(read({ scenario: ['*'] }))).toEqual(LOAD_SCENARIOS.map(({ id }) => id));
  });

  test.each<[string, Partial<LoadFlags>, string]>([
    ['limit-accuracy', { duration: '5' }, '--duration has no meaning for limit-accuracy'],
    ['throughput', { rate: '5' }, '--rate has no meaning for throughput'],
    ['throughput,mixed', { rampUp: '1' }, '--ramp-up has no meaning for throughput, mixed'],
    ['ban', { rounds: '2' }, '--rounds has no meaning for ban'],
    ['bad-keys', { writes: '0.5' }, '--writes has no meaning for bad-keys'],
    ['bad-keys', { arrivals: 'poisson' }, '--arrivals has no meaning for bad-keys'],
    ['throughput', { seed: '2' }, '--seed has no meaning for throughput'],
    ['mixed,ban', { threads: '2' }, '--threads has no meaning for mixed, ban'],
    ['ban', { connections: '5', duration: '5' }, '--duration has no meaning for ban'],
  ])('%s with %j: %s', (scenario, flags, message) => {
    expect(usageErrorOf(() => read({ scenario: scenario.split(','), ...flags }))).toBe(message);
  });

  test('a parameter that one of them uses is given to that one only', () => {
    const [latency, throughput] = parametersOf(read({ scenario: ['latency', 'throughput'], rate: '7' }));
    expect([latency?.rate, throughput?.rate]).toEqual([7, DEFAULT_PARAMETERS.rate]);
  });
});

describe('threads', () => {
  test('share the scenarios that can be divided', () => {
    const options = read({ threads: '4' });
    expect(idsOf(options)).toEqual(['latency', 'throughput', 'mixed', 'limit-accuracy', 'fairness']);
    expect(parametersOf(options).map(({ threads }) => threads)).toEqual([4, 4, 1, 1, 1]);
  });

  test.each<[string, Partial<LoadFlags>]>([
    [
      '--threads 8 of latency: 4 connections cannot be divided among 8 threads; raise --connections, or take fewer threads',
      { scenario: ['latency'], threads: '8', connections: '4' },
    ],
    [
      '--threads 8 of latency: 5/s is less than one request a second for each thread; raise --rate, or take fewer threads',
      { scenario: ['latency'], threads: '8', rate: '5' },
    ],
    [
      '--threads 8 of throughput: 5/s is less than one request a second for each thread; raise --max-rate, or take fewer threads',
      { scenario: ['throughput'], threads: '8', maxRate: '5' },
    ],
    [
      '--fleet divides the load among workers, and latency asks for 2 threads; leave out --threads, and start a worker for each core',
      { scenario: ['latency'], threads: '2', fleet: 'redis://127.0.0.1:6379' },
    ],
  ])('are refused with %s', (message, flags) => {
    expect(usageErrorOf(() => read({ key: KEY, ...flags }, HERE))).toContain(message);
  });
});

describe('a configuration', () => {
  const SOME = [
    { scenario: 'latency', rate: 40, duration: 3, thresholds: ['p50<10ms'] },
    { scenario: 'mixed', connections: 5 },
  ];

  test('names the scenarios, with parameters and thresholds of their own', () => {
    const options = configured(SOME);
    expect(idsOf(options)).toEqual(['latency', 'mixed']);
    expect(parametersOf(options)).toMatchObject([{ rate: 40, duration: 3, rampUp: 1 }, { connections: 5 }]);
    expect(thresholdsOf(options)).toEqual([
      ['p50 < 10 ms', 'errors < 0.1%', 'rate >= 99%'],
      ['errors < 0.1%'],
    ]);
  });

  test('gives way to options', () => {
    const options = configured(SOME, { duration: '9', threshold: ['p99<1s'], scenario: ['latency', 'ramp'] });
    expect(idsOf(options)).toEqual(['latency', 'ramp']);
    expect(parametersOf(options)).toMatchObject([
      { rate: 40, duration: 9 },
      { rate: 1_000, duration: 9 },
    ]);
    const judged = ['p99 < 1 s', 'errors < 0.1%', 'rate >= 99%'];
    expect(thresholdsOf(options)).toEqual([judged, judged]);
  });

  test.each<[string, readonly Readonly<Record<string, unknown>>[], Partial<LoadFlags>]>([
    [
      'load.scenarios[1].scenario: there is no scenario "latncy". Did you mean latency?',
      [{ scenario: 'mixed' }, { scenario: 'latncy' }],
      {},
    ],
    [
      'load.scenarios[2].scenario: latency stands in load.scenarios[0] already',
      [{ scenario: 'latency' }, { scenario: 'mixed' }, { scenario: 'latency', rate: 5 }],
      {},
    ],
    [
      'load.scenarios[1].duration has no meaning for limit-accuracy',
      [{ scenario: 'mixed' }, { scenario: 'limit-accuracy', duration: 5 }],
      {},
    ],
    [
      'load.scenarios[1].thresholds',
      [{ scenario: 'mixed' }, { scenario: 'latency', thresholds: ['p99<soon'] }],
      { scenario: ['latency'] },
    ],
    [
      'load.scenarios[1].thresholds capacity > 9/s: capacity is not measured by mixed',
      [{ scenario: 'capacity' }, { scenario: 'mixed', thresholds: ['capacity>9'] }],
      {},
    ],
    ['load.scenarios[0].writes asks for', [{ scenario: 'latency', writes: 0.5 }], { profile: 'safe' }],
    ['load.scenarios[0].rate', [{ scenario: 'latency', rate: 0 }], {}],
    ['load.scenarios[0].pace', [{ scenario: 'latency', pace: 3 }], {}],
  ])('in which something is wrong: %s', (message, scenarios, flags) => {
    const found = usageErrorOf(() => configured(scenarios, flags));
    expect(found).toContain(message);
    expect(found).not.toContain('SECRET');
  });
});

function consent(flags: Pick<LoadFlags, 'iMayLoad'>): string {
  return usageErrorOf(() => read({ key: KEY, ...flags }, ELSEWHERE));
}

describe('a host that is not this machine', () => {
  test('takes consent that names it', () => {
    expect(consent({})).toContain('add --i-may-load host.example.');
    expect(consent({ iMayLoad: 'other.example' })).toBe(
      '--i-may-load other.example is not the host of the target, which is host.example',
    );
    expect(consent({ iMayLoad: 'example' })).toContain('is not the host');
    expect(consent({ iMayLoad: 'host.example' })).toBe('nothing was thrown');
    expect(consent({ iMayLoad: 'host.example:8443' })).toBe('nothing was thrown');
  });

  test.each([HERE, 'http://localhost:8080/v1', 'http://[::1]:8080/v1'])('is not %s', (target) => {
    expect(usageErrorOf(() => read({ key: KEY }, target))).toBe('nothing was thrown');
  });

  test('has a low ceiling of the rate, which holds for every scenario and only an option raises', () => {
    const all = { key: KEY, iMayLoad: 'host.example', scenario: ['*'] };
    const rates = parametersOf(read(all, ELSEWHERE)).map(({ maxRate }) => maxRate);
    expect(new Set(rates)).toEqual(new Set([1_000]));
    const raised = parametersOf(read({ ...all, maxRate: '3000' }, ELSEWHERE));
    expect(new Set(raised.map(({ maxRate }) => maxRate))).toEqual(new Set([3_000]));
  });
});

describe('the ceilings', () => {
  test.each<[string, string, string]>([
    ['latency', '501', '--rate 501 of latency is above the ceiling of 500/s; --max-rate raises it'],
    ['ramp', '501', '--rate 501 of ramp is above the ceiling of 500/s'],
    ['spike', '51', '--rate 51 of spike, which reaches 510/s, is above the ceiling of 500/s'],
  ])('of the rate holds for %s', (scenario, rate, message) => {
    expect(usageErrorOf(() => read({ scenario: [scenario], rate, maxRate: '500' }))).toContain(message);
    const lower = String(Number(rate) - 1);
    expect(usageErrorOf(() => read({ scenario: [scenario], rate: lower, maxRate: '500' }))).toBe(
      'nothing was thrown',
    );
  });

  test('of requests names the scenario and what it announces', () => {
    const flags = { scenario: ['bad-keys'], duration: '2', maxRate: '100' };
    expect(usageErrorOf(() => read({ ...flags, maxRequests: '199' }))).toBe(
      '--max-requests 199: bad-keys may send 200; lower --rate, --duration or --max-rate',
    );
    expect(usageErrorOf(() => read({ ...flags, maxRequests: '200' }))).toBe('nothing was thrown');
  });
});
