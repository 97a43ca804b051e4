import { isJsonObject } from '../../../contract/json/index.ts';
import { headerValues, readRateLimit } from '../../../contract/rate-limit-headers.ts';
import { readMembers, type JsonMember } from '../../oracle/index.ts';
import { hideClientKey } from '../records/record-client-exchange.ts';
import { say, type ClientExchange, type ClientJudge, type ScenarioRecord } from '../records/record.ts';
import {
  answersOf,
  clientRequests,
  endOf,
  hasTrait,
  isAnswered,
  isLimiting,
  parseBody,
  readTarget,
  requestAfter,
} from '../records/traffic-reading.ts';

/** What the client does at its first 429: with a Retry-After, and with one that cannot be read. */
export const limitedConduct: ClientJudge = {
  id: 'limited-conduct',
  title: 'What the client does at a 429',
  judges: ['client-retries-limited', 'client-unreadable-retry-after'],
  judge: (record) => {
    const limited = answersOf(record).find(({ response }) => response.status === 429);
    if (limited === undefined) {
      return null;
    }
    const next = requestAfter(record, limited);
    const isReadable = isLimiting(limited);
    const conduct =
      next === undefined
        ? conductWithout(record)
        : isReadable
          ? 'tries again'
          : conductWith(next.receivedAt - limited.answeredAt);
    if (conduct === null) {
      return null;
    }
    return isReadable
      ? say.observe('client-retries-limited', conduct, record.scenario.task.operation)
      : say.observe('client-unreadable-retry-after', conduct);
  },
};

/** If nothing more was sent. */
function conductWithout({ outcome, endedFor }: ScenarioRecord): string | null {
  switch (outcome.kind) {
    case 'replied':
      return 'gives up';
    case 'broken':
      return 'breaks off';
    case 'ended':
      return endedFor === 'silence' ? 'falls silent' : endedFor === 'let go' ? 'waits' : null;
    case 'unknown':
      return null;
  }
}

function conductWith(waited: number): string {
  if (waited < 0.1) {
    return 'tries again at once';
  }
  return waited < 1 ? 'tries again within a second' : 'tries again after a second or more';
}

/** From that pause on a client has slowed down; seconds. */
const PAUSE = 1;

/** Whether the client slows down by itself if a 200 says that nothing remains. */
export const pacing: ClientJudge = {
  id: 'pacing',
  title: 'What the client does when nothing remains',
  judges: ['client-paces-itself'],
  judge: (record) => {
    const exhausted = answersOf(record).find(
      ({ response }) => response.status === 200 && readRateLimit(response.headers)?.remaining === 0,
    );
    const next = exhausted === undefined ? undefined : requestAfter(record, exhausted);
    if (exhausted === undefined || (next === undefined && record.outcome.kind !== 'replied')) {
      return null;
    }
    const paused = (next?.receivedAt ?? endOf(record)) - exhausted.answeredAt;
    const atOnce = next === undefined ? 'not seen' : 'goes on at once';
    return say.observe('client-paces-itself', paused < PAUSE ? atOnce : 'slows down');
  },
};

/** Whether the key goes along to another host. */
export const redirects: ClientJudge = {
  id: 'redirects',
  title: 'What the client sends along to another host',
  judges: ['client-keeps-key-from-others'],
  judge: (record) => {
    const { apiKey, traffic } = record;
    const takesKey = traffic.elsewhere.some(
      ({ target, headers, body }) =>
        target.includes(apiKey) ||
        headers.some(([, value]) => value.includes(apiKey)) ||
        body.includes(apiKey),
    );
    const follows = takesKey ? 'takes the key along' : 'follows without the key';
    return answersOf(record).some(({ response }) => response.status >= 300 && response.status < 400)
      ? say.observe(
          'client-keeps-key-from-others',
          traffic.elsewhere.length === 0 ? 'does not follow' : follows,
        )
      : null;
  },
};

/** What a client does where the specification is silent: a query, a body on GET, members of an update, other spellings. */
export const liberties: ClientJudge = {
  id: 'liberties',
  title: 'What the client adds to its requests',
  judges: ['client-liberties'],
  judge: (record) => {
    const requests = clientRequests(record);
    const seen = requests.flatMap(({ request }) => {
      const members = request.method === 'PATCH' ? membersOf(request.body) : [];
      const [credentials = 'Bearer'] = headerValues(request.headers, 'Authorization');
      const added = {
        query: readTarget(request.target, record.baseUrl).query !== '',
        'trailing slash': request.target.split('?')[0]?.endsWith('/') === true,
        'body on GET': request.method === 'GET' && request.body.length > 0,
        'key elsewhere than in Authorization': namesKeyElsewhere(request, record),
        fragment: request.target.includes('#'),
        'further members': members.some(({ name }) => name !== 'quantity'),
        'members twice': new Set(members.map(({ name }) => name)).size < members.length,
        'quantity with a fraction or exponent': members.some(
          ({ name, text }) => name === 'quantity' && /^-?\d+[.eE]/.test(text),
        ),
        'Bearer in another letter-case': /^bearer /i.test(credentials) && !credentials.startsWith('Bearer '),
      };
      return Object.entries(added).flatMap(([name, isAdded]) =>
        isAdded ? [say.observe('client-liberties', name)] : [],
      );
    });
    return seen.length === 0 && requests.length > 0
      ? say.skip('client-liberties', 'The client adds nothing to its requests.')
      : seen;
  },
};

function namesKeyElsewhere({ target, headers }: ClientExchange['request'], record: ScenarioRecord): boolean {
  const others = headers.filter(([name]) => name.toLowerCase() !== 'authorization').map(([, value]) => value);
  return [target, ...others].some((text) => hideClientKey(text, record) !== text);
}

function membersOf(body: Buffer): readonly JsonMember[] {
  return isJsonObject(parseBody(body)) ? readMembers(body.toString()) : [];
}

/** An idle connection is kept by most servers and clients for at least that long; seconds. */
const KEPT_SECONDS = 4;
const SHOWN_CHARACTERS = 80;

/** Whether the next attempt goes over the same connection, and what the client calls itself. */
export const connections: ClientJudge = {
  id: 'connections',
  title: 'How the client uses connections',
  judges: ['client-reuses-connections'],
  judge: (record) => {
    const [first, second] = clientRequests(record);
    if (first === undefined) {
      return null;
    }
    const [userAgent = 'none'] = headerValues(first.request.headers, 'User-Agent');
    const shown = hideClientKey(userAgent, record).slice(0, SHOWN_CHARACTERS);
    const agent = say.observe('client-reuses-connections', shown, 'user-agent');
    const isClosed = hasTrait(record, 'closes-connections');
    const pause = second !== undefined && isAnswered(first) ? second.receivedAt - first.answeredAt : -1;
    if (isClosed || pause < 0 || pause >= KEPT_SECONDS) {
      return agent;
    }
    const isKept = second?.connection === first.connection;
    return [
      agent,
      say.observe('client-reuses-connections', isKept ? 'keeps its connection' : 'opens another connection'),
    ];
  },
};
