import { sendList } from '../generator/list-requests.ts';
import type { LoadGenerator } from '../load-generator.ts';
import { medianOf } from '../../contract/quantile.ts';
import { measureServer, type Sample, type Windows } from '../measure.ts';
import { requireSameResponse, startServerProcess, type ServerProcess } from '../server-process.ts';
import { BENCH_KEY } from '../servers/protocol.ts';

/** One way to the reference server, and what was measured of it in each round. */
interface Way {
  readonly name: string;
  readonly server: ServerProcess;
  readonly times: Times[];
  readonly samples: Sample[];
}

interface Times {
  readonly p50: number;
  readonly p99: number;
}

const PLAIN = new URL('plain-proxy.ts', import.meta.url);
const PROXIES = [
  { name: '`stockcheck watch`', module: new URL('watching-proxy.ts', import.meta.url), kind: 'watch' },
  { name: 'httpxy', module: PLAIN, kind: 'httpxy' },
  { name: 'bare `node:http` proxy', module: PLAIN, kind: 'bare' },
] as const;

const AUTHORIZATION = `Bearer ${BENCH_KEY}`;

// Requests a second of the windows at a constant rate.
const RATE = 500;

/** Prints what proxies in front of the reference server add to its times, and how much passes through them. */
export async function compareProxies(
  generator: LoadGenerator,
  { pairs: rounds, seconds, connections }: Windows,
): Promise<void> {
  const reference = await startServerProcess(new URL('../servers/reference.ts', import.meta.url));
  const ways: Way[] = [{ name: 'none', server: reference, times: [], samples: [] }];
  for (const { name, module, kind } of PROXIES) {
    const server = await startServerProcess(module, reference.url, kind);
    await requireSameResponse(reference.url, server.url, AUTHORIZATION, 'body');
    ways.push({ name, server, times: [], samples: [] });
  }
  // The first round is for the compiler of the engine.
  for (let round = 0; round <= rounds; round += 1) {
    for (const way of round % 2 === 0 ? ways : ways.toReversed()) {
      const times = await timesAt(way.server.url, seconds);
      const sample = await measureServer(
        generator,
        { authorization: AUTHORIZATION, connections, seconds },
        way.server,
      );
      if (round > 0) {
        way.times.push(times);
        way.samples.push(sample);
      }
    }
  }
  process.stdout.write(
    [
      `GET /v1/inventory, 20 entries, through proxies in front of the reference server, Node ${process.versions.node}: `,
      `times at ${RATE} requests/s, and requests/s in a closed loop of ${connections} connections by ${generator.name}; `,
      `medians of ${rounds} rounds of ${seconds} s windows, in turn; added is against no proxy in the same round.\n\n`,
      '| Proxy | p50 ms | p99 ms | added p50 ms | added p99 ms | requests/s | its CPU µs/request |\n',
      '| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n',
      ...ways.map((way) => describeRow(way, ways[0] ?? way)),
    ].join(''),
  );
  ways.forEach(({ server }) => server.stop());
}

function describeRow({ name, times, samples }: Way, direct: Way): string {
  const medianText = (read: (times: Times, round: number) => number): string =>
    medianOf(times.map(read)).toFixed(2);
  const added = (at: keyof Times): string =>
    medianText((own, round) => own[at] - (direct.times[round]?.[at] ?? Number.NaN));
  const cells = [
    name,
    medianText(({ p50 }) => p50),
    medianText(({ p99 }) => p99),
    added('p50'),
    added('p99'),
    medianOf(samples.map(({ rate }) => rate)).toFixed(0),
    medianOf(samples.map(({ cpu }) => cpu)).toFixed(1),
  ];
  return `| ${cells.join(' | ')} |\n`;
}

/** Response times from the moments at which requests were due. */
async function timesAt(url: string, seconds: number): Promise<Times> {
  const authorization = ['Authorization', AUTHORIZATION];
  const sending = { url, authorization, arrivals: 'constant', rate: RATE, seconds, connections: 64 } as const;
  const { responseTime } = (await sendList(sending)).measurement;
  return { p50: responseTime.p50 ?? Number.NaN, p99: responseTime.p99 ?? Number.NaN };
}
