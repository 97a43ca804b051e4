import { isJsonObject, parseIfJson } from '../../../contract/json/index.ts';
import { headerValues, RATE_LIMIT_HEADERS } from '../../../contract/rate-limit-headers.ts';
import { countText, enumeration } from '../../../contract/words/enumeration.ts';
import type { RequestMessage, ResponseMessage, UnansweredRequest } from '../../oracle/index.ts';
import {
  BODY_TOO_LARGE,
  GATEWAY_PAGE,
  TIMEOUT_CODES,
  type ConnectionPool,
  type TransportError,
} from './http-transport.ts';
import { nothingReused, type Reuse } from './reused-connections.ts';

/** How reliable the connection to the target is. */
export interface Losses {
  /** Requests sent so far, each try by itself. */
  requests: number;
  /** Tries without a response, of requests that got one when sent again. */
  recovered: number;
  /** Of these, how many a gateway answered by itself. */
  ofGateway: number;
  /** Whether such an answer came again and again, so that it is one. */
  isGatewayJudged: boolean;
  /** Tries that failed since the last answer: what is sent then may meet a target that has ended. */
  failedSinceAnswer: number;
  /** Tries that are under way. */
  underWay: number;
  /** Of these, what the specification says nothing of. */
  readonly undocumented: { requests: number; underWay: number };
  /** The request after which the target answered nothing any more, in words, or `null`. */
  goneAfter: string | null;
  /** Whether connections were refused since the last response. */
  wasAway: boolean;
  /** How often they were, and the target answered again. */
  absences: number;
  /** Requests of which one seems to have ended it, since nothing was answered from then on. */
  readonly suspects: Map<RequestMessage, NoResponse>;
  /** Whether a request was judged for its silence: others are not waited for as long, nor sent again. */
  isSilenceJudged: boolean;
  readonly reuse: Reuse;
}

export function noLosses(): Losses {
  return {
    requests: 0,
    recovered: 0,
    ofGateway: 0,
    isGatewayJudged: false,
    failedSinceAnswer: 0,
    underWay: 0,
    undocumented: { requests: 0, underWay: 0 },
    goneAfter: null,
    wasAway: false,
    absences: 0,
    suspects: new Map(),
    isSilenceJudged: false,
    reuse: nothingReused(),
  };
}

/**
 * Why a request got no response. `silent`: nothing came for so long that slowness does not explain it. `excusable`: HTTP
 * lets the target do what it did. `too large`: more came than is read.
 */
export type Ending = 'closed' | 'gone' | 'refused' | 'silent' | 'excusable' | 'too large';

/** The request got no response, however often it was sent. */
export class NoResponse extends Error {
  override readonly name = 'NoResponse';
  declare readonly ending: Ending;
  /** Of the last try: the system's, undici's or OpenSSL's; empty if none was made. */
  declare readonly code: string;
  /** The request in words. */
  declare readonly request: string;
  declare readonly sent: RequestMessage;
  /** Whether nothing else was under way when its first try failed. */
  declare readonly wasAlone: boolean;
  /** Whether nothing was that the specification does not name. */
  declare readonly wasAmongDocumented: boolean;
  /**
   * Tells the history what became of the target, and records what is said of that. @returns whether something is
   * @param others requests that explain it as well, in words
   */
  declare readonly blame: (since: UnansweredRequest['since'], others?: readonly string[]) => boolean;
  /**
   * Sends it once more while nothing else is under way. @returns `lost` if it got no response again; if it met silence, not
   * a single byte of one; `away` if nothing took it
   */
  declare readonly sendAlone: (pool: ConnectionPool, ending: Ending) => Promise<'answered' | 'away' | 'lost'>;

  constructor(message: string, details: Omit<NoResponse, keyof Error>) {
    super(message);
    Object.assign(this, details);
  }
}

/** How often a request is sent until it gets a response. */
export const ATTEMPTS = 3;

// Of all tries of a request together; a shorter timeout than the usual one accuses nobody.
const LONG_SILENCE_MILLISECONDS = 30_000;
const EXCUSABLE_CODES = new Set([...TIMEOUT_CODES, GATEWAY_PAGE]);
export const REFUSED_CODE = 'ECONNREFUSED';
const DESTROYED_CODE = 'UND_ERR_DESTROYED';

/** One failed try of a request. */
export interface FailedTry {
  readonly error: TransportError;
  /** Whether nothing else was under way meanwhile. */
  readonly wasAlone: boolean;
  /** Whether nothing undocumented was. */
  readonly wasAmongDocumented: boolean;
  /** The id of the request in its history. */
  readonly id: number;
}

interface LostRequest extends Pick<NoResponse, 'sendAlone'> {
  readonly message: RequestMessage;
  /** Tells the history of its last try, in those words. */
  readonly blame: (id: number, words: string, since: UnansweredRequest['since']) => boolean;
  /** The request after which nothing was answered any more. */
  readonly goneAfter: Losses['goneAfter'];
  readonly redact: (text: string) => string;
}

/** What to throw if no more tries are made. */
export function noResponse(
  { message, goneAfter, redact, blame, sendAlone }: LostRequest,
  tries: readonly FailedTry[],
): NoResponse {
  const last = tries.at(-1);
  const ending = endingOf(tries);
  const [first] = tries;
  const request = redact(describeRequest(message));
  const since = goneAfter === null ? '' : ` Nothing was answered since ${goneAfter}.`;
  const reason = redact(last?.error.message ?? '');
  const text =
    ending === 'too large'
      ? `${request} got a response that cannot be judged: ${reason}.`
      : `${request} got no complete HTTP response in ${tries.length} ${tries.length === 1 ? 'try' : 'tries'} (${last?.error.code}: ${reason}).${since}`;
  return new NoResponse(text, {
    ending,
    code: last?.error.code ?? '',
    request,
    sent: message,
    wasAlone: first?.wasAlone === true,
    wasAmongDocumented: first?.wasAmongDocumented === true,
    blame: (since, others = []) =>
      last !== undefined && blame(last.id, `${text}${describeOthers(others)}`, since),
    sendAlone,
  });
}

function describeOthers(others: readonly string[]): string {
  return others.length === 0
    ? ''
    : ` Nobody knows which one of several it was: ${enumeration(others)} got none either.`;
}

/** What to throw for a request that is not sent any more. */
export function notSent(message: RequestMessage, redact: (text: string) => string): NoResponse {
  const request = redact(describeRequest(message));
  return new NoResponse(`${request} was not sent, since the target answers nothing any more.`, {
    ending: 'excusable',
    code: '',
    request,
    sent: message,
    wasAlone: false,
    wasAmongDocumented: false,
    blame: () => false,
    sendAlone: () => Promise.resolve('away'),
  });
}

function endingOf(tries: readonly FailedTry[]): Ending {
  // A try whose connections were closed at this end says nothing of the target.
  const told = tries.filter(({ error }) => error.code !== DESTROYED_CODE);
  const codes = (told.length === 0 ? tries : told).map(({ error }) => error.code);
  if (codes.at(-1) === BODY_TOO_LARGE) {
    return 'too large';
  }
  if (codes.some((code) => EXCUSABLE_CODES.has(code))) {
    const silences = tries.map(({ error }) => error.silentMilliseconds);
    const silence = silences.reduce((sum, milliseconds) => sum + milliseconds, 0);
    const isSilent = silences.length === ATTEMPTS && !silences.includes(0);
    return isSilent && silence >= LONG_SILENCE_MILLISECONDS ? 'silent' : 'excusable';
  }
  if (codes.every((code) => code === REFUSED_CODE)) {
    return 'refused';
  }
  return codes.at(-1) === REFUSED_CODE ? 'gone' : 'closed';
}

const SHOWN_BODY = 60;

/** A request in words, with what its body is. */
export function describeRequest({ method, path, body }: RequestMessage): string {
  const what = `${method} ${path}`;
  if (body === null) {
    return what;
  }
  if (body.length === 0) {
    return `${what} with an empty body`;
  }
  if (typeof body !== 'string' || body.length > SHOWN_BODY) {
    return `${what} with a body of ${countText(Buffer.byteLength(body), 'byte')}`;
  }
  return `${what} with the body ${body.replaceAll(/[^\x20-\x7e]/g, '·')}`;
}

// A gateway that answers a larger share by itself does so on purpose; some seconds at the beginning of a run are a few requests.
const MOST_OF_GATEWAY = 0.1;
const FEW = 20;

/**
 * Whether a gateway seems to have answered by itself, as the service was away (RFC 9110, sections 15.6.3 to 15.6.5). If it
 * does so whenever it is asked, that is an answer like any other.
 */
export function isGatewayPage(losses: Losses, { status, headers, body }: ResponseMessage): boolean {
  return (
    isOfGateway(status) &&
    RATE_LIMIT_HEADERS.every((name) => headerValues(headers, name).length === 0) &&
    !isJsonObject(parseIfJson(body.toString())) &&
    !losses.isGatewayJudged &&
    losses.ofGateway <= Math.max(FEW, MOST_OF_GATEWAY * losses.requests)
  );
}

/** Bad gateway, unavailable, timeout; and what nginx (499) and Cloudflare (520 to 530) say where they have no answer to pass on. */
function isOfGateway(status: number): boolean {
  return (status >= 502 && status <= 504) || status === 499 || (status >= 520 && status <= 530);
}

const NEGLIGIBLE = 0.01;

/** Whether the connection loses so many requests that one of them may get no response however often it is sent. */
export function mayBeChance({ requests, recovered }: Losses): boolean {
  return requests * (recovered / requests) ** ATTEMPTS > NEGLIGIBLE;
}

/** What a target took last that is gone, in words. */
export function lastTaken({ request, wasAlone }: NoResponse): string {
  return wasAlone ? request : `${request} or a request beside it`;
}

const MAY_COUNT_TWICE = 'Nobody knows if they counted twice, which may leave requirements open';

/** What a report says of lost responses. @param isOpen whether requirements were left open */
export function describeLosses(
  { absences, goneAfter, ofGateway, recovered }: Losses,
  isOpen: boolean,
): readonly string[] {
  const problems: string[] = [];
  if (ofGateway > 0) {
    problems.push(
      `${countText(ofGateway, 'request')} got a gateway's status, such as 502 or 504, without the three headers or a JSON object, as from a gateway whose service is away, and an answer when sent again. Nothing was held against the target for that; what may have been lost leaves requirements open.`,
    );
  }
  if (isOpen && absences > 0) {
    problems.push(
      `The target was away ${absences === 1 ? 'once' : countText(absences, 'time')} and came back, as a service does that ends and is started again: its log may say why it ended. Requests that got no answer were sent again. ${MAY_COUNT_TWICE}.`,
    );
  } else if (isOpen && recovered > ofGateway) {
    problems.push(
      `${countText(recovered - ofGateway, 'answer')} got lost, as on connections that are closed without a word while they are idle, and the requests were sent again. ${MAY_COUNT_TWICE}: have the target keep idle connections longer, or announce that it closes them.`,
    );
  }
  if (goneAfter !== null) {
    problems.push(`The target has answered nothing since ${goneAfter}; it may have died of that.`);
  }
  return problems;
}
