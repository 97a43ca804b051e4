import { SERVER_REQUIREMENTS } from '../../contract/requirements/index.ts';
import { HOUR_MILLISECONDS, startVirtualService, type VirtualService } from './virtual-service.ts';
import { collectJudgements } from '../../suites/oracle/index.ts';
import { createRedactor } from '../../suites/target/index.ts';
import { judgeStream, type StreamJudge, type TrafficRequest } from '../../suites/watch/index.ts';

// Each request is answered when so many others have left since.
const UNDER_WAY = 3;
const MINUTE_MILLISECONDS = 60_000;
const BASE = 'http://127.0.0.1/v1';
const PETS = 20;

/**
 * Prints how much memory it takes to judge a day of traffic, in virtual time: two keys that are busy
 * all day, one that is at its limit in each minute, a new key in each minute, and tokens that nobody issued.
 *
 * @param rate requests a second
 */
export async function measureEndlessStream(hours: number, rate: number): Promise<void> {
  const service = await startVirtualService();
  const judgements = collectJudgements();
  const judge = judgeStream({
    base: BASE,
    keys: service.described,
    redactor: createRedactor(),
    judgements,
    mayLackAuthorization: () => false,
    isExclusive: true,
  });
  process.stdout.write(
    '| virtual hours | exchanges | keys met | heap in MB | CPU in s | requirements failed |\n' +
      '| ---: | ---: | ---: | ---: | ---: | ---: |\n',
  );
  try {
    const play = openPlay(service, judge, 1_000 / rate);
    const marks = [0.25, 1, 2, 4, 6, 9, 12, 15, 18, 21, 24].filter((mark) => mark <= hours);
    for (const mark of marks) {
      await play.until(mark * HOUR_MILLISECONDS);
      const failed = SERVER_REQUIREMENTS.map(({ id }) => id).filter(
        (id) => judgements.judgementOf(id).outcome === 'fail',
      );
      const keys = judge.callers.met();
      const { user } = process.cpuUsage();
      const cells = [mark, play.exchanges(), keys, heapInMegabytes().toFixed(1), (user / 1e6).toFixed(0)];
      process.stdout.write(`| ${[...cells, failed.join(' ') || 'none'].join(' | ')} |\n`);
    }
  } finally {
    await service.close();
  }
}

/** What is still in use after a collection of garbage; `node --expose-gc` makes it exact. */
function heapInMegabytes(): number {
  globalThis.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / (1024 * 1024);
}

function openPlay(service: VirtualService, judge: StreamJudge, gapMilliseconds: number) {
  const { now, respond, described, issue } = service;
  const [first = '', second = '', free = ''] = described.map(({ key }) => key);
  const waiting: (() => void)[] = [];
  let exchanges = 0;
  let minute = -1;
  let visitor = '';
  let freeAt = 0;

  const tokenOf = (index: number): string => {
    switch (index % 50) {
      case 7:
        return `nobody-${Math.floor(now() / 10_000)}-knows-this-token`;
      case 17:
      case 27:
        return visitor;
      case 37:
      case 47:
        return now() >= freeAt ? free : first;
      default:
        return index % 2 === 0 ? first : second;
    }
  };

  const send = async (index: number): Promise<void> => {
    const token = tokenOf(index);
    const isUpdate = index % 5 === 4;
    const petId = index % 1_000 === 999 ? 404_404_404 : 1 + (index % PETS);
    const request: TrafficRequest = {
      method: isUpdate ? 'PATCH' : 'GET',
      url: `${BASE}/inventory${isUpdate ? `/${petId}` : ''}`,
      headers: [
        ['Authorization', `Bearer ${token}`],
        ['Content-Type', 'application/json'],
      ],
      body: isUpdate ? `{"quantity":${index % 900}}` : null,
      sentAt: now(),
    };
    const ended = judge.began(request);
    const response = await respond(request);
    if (response.status === 429 && token === free) {
      const wait = response.headers.find(([name]) => name === 'Retry-After')?.[1];
      freeAt = now() + 1_000 * Number(wait) + UNDER_WAY * gapMilliseconds;
    }
    waiting.push(() => ended({ request, response, endedAt: now() }));
  };

  return {
    exchanges: () => exchanges,
    until: async (milliseconds: number) => {
      while (exchanges * gapMilliseconds < milliseconds) {
        const index = exchanges;
        exchanges += 1;
        service.advance(gapMilliseconds);
        if (Math.floor(now() / MINUTE_MILLISECONDS) !== minute) {
          minute = Math.floor(now() / MINUTE_MILLISECONDS);
          visitor = issue();
        }
        await send(index);
        if (waiting.length > UNDER_WAY) {
          waiting.shift()?.();
        }
      }
    },
  };
}
