import { monitorResponses, readQuickHeaders } from '../../load/index.ts';
import { createTargetClient } from '../../suites/target/index.ts';
import { median } from '../measure.ts';
import { PER_MINUTE } from '../servers/protocol.ts';
import { requestForList, newBenchKey } from './request-for-list.ts';

const EXCHANGES = 200_000;
const ROUNDS = 7;
const UNDER_WAY = 100;
const EXCHANGES_A_MILLISECOND = 30;

type Monitor = Pick<ReturnType<typeof monitorResponses>, 'leaving' | 'response'>;

/** Prints what it costs to judge a load, in CPU time of the generator for each exchange. */
export function measureJudging(): void {
  measureRound(readingHeaders);
  measureRound(judgingAll);
  const rounds = Array.from({ length: ROUNDS }, () => [
    measureRound(readingHeaders),
    measureRound(judgingAll),
  ]);
  const [headers, judged] = [0, 1].map((side) => median(rounds.map((round) => round[side] ?? Number.NaN)));
  process.stdout.write(
    [
      `Judging a load: ${UNDER_WAY} requests under way with two keys, Node ${process.versions.node}; `,
      `medians of ${ROUNDS} pairs of ${EXCHANGES} exchanges.\n\n`,
      '| Each response | CPU µs/exchange |\n| --- | ---: |\n',
      `| its rate limit headers are read | ${headers?.toFixed(2)} |\n`,
      `| the oracle judges its key, too | ${judged?.toFixed(2)} |\n`,
    ].join(''),
  );
}

function readingHeaders(): Monitor {
  return { leaving: () => 0, response: ({ rawHeaders }) => void readQuickHeaders(rawHeaders) };
}

function judgingAll(): Monitor {
  const { signal } = new AbortController();
  const client = createTargetClient(
    { origin: 'http://127.0.0.1:1', basePath: '/v1', headers: [] },
    { signal },
  );
  return monitorResponses(client, false);
}

/** Microseconds of CPU time for each exchange. */
function measureRound(open: () => Monitor): number {
  const monitor = open();
  const requests = ['bench#1', 'bench#2'].map((label) =>
    requestForList('/inventory', newBenchKey(label), []),
  );
  const began = process.cpuUsage();
  const start = performance.now();
  const lanes = Array.from({ length: UNDER_WAY }, (_, lane) => {
    const request = requests[lane % requests.length];
    return request === undefined
      ? []
      : [{ request, departure: monitor.leaving(request, start), sentAt: start }];
  }).flat();
  for (let count = 0; count < EXCHANGES; count += 1) {
    const lane = lanes[count % UNDER_WAY];
    if (lane === undefined) {
      continue;
    }
    const answeredAt = start + (count + 1) / EXCHANGES_A_MILLISECOND;
    // Each key has every other request.
    const used = Math.floor(count / requests.length) + 1;
    const rawHeaders = [
      ['X-RateLimit-Limit', `${PER_MINUTE}`],
      ['X-RateLimit-Remaining', `${PER_MINUTE - used}`],
      ['X-RateLimit-Reset', '1795400060'],
      ['Content-Type', 'application/json'],
      ['Content-Length', '1200'],
      ['Date', 'Mon, 23 Nov 2026 02:00:00 GMT'],
    ].flat();
    const { request, departure, sentAt } = lane;
    const times = { dueAt: sentAt, sentAt, answeredAt };
    monitor.response({ request, departure, status: 200, rawHeaders, body: null, ...times });
    lanes[count % UNDER_WAY] = {
      request,
      departure: monitor.leaving(request, answeredAt),
      sentAt: answeredAt,
    };
  }
  const { user, system } = process.cpuUsage(began);
  return (user + system) / EXCHANGES;
}
