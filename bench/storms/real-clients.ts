import { once } from 'node:events';
import { Agent, IncomingMessage, request as httpRequest } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';

import { parseRetryAfter } from '../../contract/retry-after.ts';
import { seededRandom } from '../../contract/seeded-random.ts';
import { beginsOf, exactPolicy, type RecordedRequest, type Storm } from '../../simulation/index.ts';

/** Lets real clients with the first policy of a storm come against a server, a connection and a key each. */
export async function playForReal(url: string, storm: Storm) {
  const { clients, requestsEach, pauseSeconds, seed } = storm;
  const policy = storm.shares[0]?.policy ?? exactPolicy;
  const random = seededRandom(seed);
  const begins = beginsOf(storm);
  const agent = new Agent({ keepAlive: true, maxSockets: clients });
  const requests: RecordedRequest[] = [];
  const startUnixSeconds = Date.now() / 1_000;
  const start = performance.now();
  const since = (): number => (performance.now() - start) / 1_000;

  async function play(client: number): Promise<void> {
    await delay((begins[client] ?? 0) * 1_000);
    let inARow = 0;
    for (let granted = 0; granted < requestsEach;) {
      const sentSeconds = since();
      const { status, retryAfter, isBan } = await get(url, agent, `key-${client}`);
      const answeredSeconds = since();
      const isGranted = status === 200;
      requests.push({
        client,
        sentSeconds,
        answeredSeconds,
        kind: isGranted ? 'granted' : isBan ? 'banned' : 'refused',
      });
      inARow = isGranted ? 0 : inARow + 1;
      granted += isGranted ? 1 : 0;
      const retryAfterSeconds = retryAfter === null ? null : secondsFromNow(retryAfter);
      const wait = isGranted ? pauseSeconds : policy.wait({ retryAfterSeconds, inARow }, random);
      if (wait === null) {
        return;
      }
      if (wait > 0 && granted < requestsEach) {
        await delay(wait * 1_000);
      }
    }
  }

  try {
    await Promise.all(Array.from(begins, (_, client) => play(client)));
  } finally {
    agent.destroy();
  }
  return { requests, startUnixSeconds };
}

async function get(url: string, agent: Agent, key: string) {
  const sent = httpRequest(url, { agent, headers: { Authorization: `Bearer ${key}` } });
  sent.end();
  const [response]: unknown[] = await once(sent, 'response');
  if (!(response instanceof IncomingMessage)) {
    throw new TypeError('The server has not answered');
  }
  let body = '';
  for await (const chunk of response) {
    body += String(chunk);
  }
  return {
    status: response.statusCode ?? 0,
    retryAfter: response.headers['retry-after'] ?? null,
    isBan: response.statusCode !== 200 && body.includes('key_banned'),
  };
}

function secondsFromNow(retryAfter: string): number | null {
  const parsed = parseRetryAfter(retryAfter);
  if (parsed === undefined) {
    return null;
  }
  return parsed.form === 'delta-seconds'
    ? parsed.seconds
    : Math.max(0, parsed.unixSeconds - Date.now() / 1_000);
}
