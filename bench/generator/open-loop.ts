import { availableParallelism } from 'node:os';

import type { ArrivalProcess } from '../../load/index.ts';
import { startServerProcess, type ServerProcess } from '../server-process.ts';
import { countInBins, dispersionOf, stallQuantile, worstDeviation } from './schedule-figures.ts';
import { sendList } from './list-requests.ts';

const STALLS = { periodMilliseconds: 2_000, stallMilliseconds: 200 } as const;
const RATE = 1_000;
const BIN_MILLISECONDS = 10;
// All that is due in a stall is under way at once.
const CONNECTIONS = 1_000;
const SHARES = { p50: 0.5, p95: 0.95, p99: 0.99, p999: 0.999 } as const;
const NAMES = ['p50', 'p95', 'p99', 'p999'] as const;

/** Prints what the open model measures of a server whose response times can be worked out, and how evenly it sends. */
export async function measureSchedule(seconds: number): Promise<void> {
  // Whole periods, so that it makes no difference where in a period it begins.
  const lasts =
    Math.ceil((seconds * 1_000) / STALLS.periodMilliseconds) * (STALLS.periodMilliseconds / 1_000);
  const { periodMilliseconds, stallMilliseconds } = STALLS;
  const server = await startServerProcess(
    new URL('../servers/stalling.ts', import.meta.url),
    `${periodMilliseconds}`,
    `${stallMilliseconds}`,
  );
  // What is measured afterwards runs at full speed from the beginning.
  await sendTo(server, 'constant', periodMilliseconds / 1_000);
  await server.takeArrivals();
  process.stdout.write(
    [
      `Open loop, ${RATE} requests/s for ${lasts} s, on a server that stalls for ${stallMilliseconds} ms at the end of `,
      `every ${periodMilliseconds} ms, Node ${process.versions.node}, ${availableParallelism()} cores: response time from `,
      'the moment at which a request was due, in ms, measured − analytic = difference; dispersion (variance over mean) ',
      `of arrivals at the server in bins of ${BIN_MILLISECONDS} ms, of the schedule in brackets; and the largest `,
      'difference between arrivals and requests due in a second.\n\n',
      '| Arrivals | p50 | p95 | p99 | p99.9 | lost | lag p99 | dispersion | worst second |\n',
      '| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n',
    ].join(''),
  );
  for (const arrivals of ['constant', 'poisson'] as const) {
    process.stdout.write(describeRow(arrivals, await sendTo(server, arrivals, lasts), lasts));
  }
  server.stop();
}

type Sent = Awaited<ReturnType<typeof sendTo>>;

async function sendTo(server: ServerProcess, arrivals: ArrivalProcess, seconds: number) {
  const sending = {
    url: server.url,
    authorization: [],
    arrivals,
    rate: RATE,
    seconds,
    connections: CONNECTIONS,
  };
  return { ...(await sendList(sending)), arrived: await server.takeArrivals() };
}

function describeRow(
  arrivals: ArrivalProcess,
  { measurement, due, arrived, start }: Sent,
  seconds: number,
): string {
  const percentiles = NAMES.map((name) => {
    const measured = measurement.responseTime[name] ?? Number.NaN;
    const analytic = stallQuantile(STALLS, SHARES[name]);
    return `${measured.toFixed(1)} − ${analytic.toFixed(1)} = ${(measured - analytic).toFixed(1)}`;
  });
  const [arrivedBins, dueBins] = [arrived, due].map((moments) =>
    dispersionOf(countInBins(moments, start, BIN_MILLISECONDS, (seconds * 1_000) / BIN_MILLISECONDS)).toFixed(
      3,
    ),
  );
  const [arrivedSeconds = [], dueSeconds = []] = [arrived, due].map((moments) =>
    countInBins(moments, start, 1_000, seconds),
  );
  const cells = [
    arrivals,
    ...percentiles,
    measurement.scheduled - measurement.answered,
    `${(measurement.generatorLag.p99 ?? Number.NaN).toFixed(2)} ms`,
    `${arrivedBins} (${dueBins})`,
    worstDeviation(arrivedSeconds, dueSeconds),
  ];
  return `| ${cells.join(' | ')} |\n`;
}
