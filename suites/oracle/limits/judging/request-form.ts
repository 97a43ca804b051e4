import { readRequest } from '../../answers/permitted-answers.ts';
import { readRequestTarget } from '../../answers/request-target.ts';
import type { Exchange } from '../../exchange.ts';
import type { SentRequest } from '../../history.ts';

/** How a faultless request may be answered of a key that is not refused; `null` if it is none. */
export function servedStatuses({ request }: SentRequest): readonly number[] | null {
  const { target, fields, refusals, body } = readRequest(request);
  if (target.kind !== 'documented' || fields !== 'plain') {
    return null;
  }
  if (target.operation === 'listInventory') {
    return body === 'none' ? [200, ...refusals] : null;
  }
  // Whether the pet is in the store is not known here.
  return typeof body === 'object' && body.kind === 'plain' ? [200, 404, ...refusals] : null;
}

/** The operation that a request asks for, in whichever spelling; an empty text if nobody knows. */
export function askedOperation({ request }: SentRequest): string {
  if (request.operation !== null) {
    return request.operation;
  }
  const target = readRequestTarget(request);
  return target.kind === 'undocumented' ? '' : target.operation;
}

/** Whether it is a documented operation in a spelling that makes no difference to a limit. */
export function isSpelledOperation({ request: { method, path } }: SentRequest): boolean {
  return readRequestTarget({ method, path: plainPath(path) }).kind === 'documented';
}

/** Without a query, a trailing slash, and percent-encoded letters and digits. */
function plainPath(path: string): string {
  return path
    .replace(/\?.*$/s, '')
    .replace(/(?<=.)\/$/, '')
    .replaceAll(/%(?:3\d|[46][1-9a-f]|[57][\da])/gi, (code) => decodeURIComponent(code));
}

export function isInventory({ request: { operation } }: Exchange): boolean {
  return operation === 'listInventory' || operation === 'updateInventory';
}

// As few requests have; a server may treat a longer one otherwise.
const LONG_BYTES = 1_000;

const SPELLINGS = [
  [/^[^?]*\/(?:\?|$)/, 'a trailing slash'],
  [new RegExp(`^.{${LONG_BYTES}}`, 's'), 'a long path'],
  [/\?/, 'a query string'],
  [/%/, 'percent-encoding'],
] as const;

const USUAL_FIELDS = new Set([
  'accept',
  'accept-encoding',
  'authorization',
  'connection',
  'content-length',
  'content-type',
  'host',
  'user-agent',
]);

// What a gateway takes for a request of its own network or machine.
const INNER_ADDRESS = /^(?:127\.\d+\.\d+\.\d+|localhost)$/i;

/** Fields by which gateways and caches tell a request from others. */
function fieldsOf(headers: SentRequest['request']['headers']): readonly string[] {
  const named = headers.map(([name, value]): readonly [string, string] => [name.toLowerCase(), value]);
  const further = headers.filter(([name]) => !USUAL_FIELDS.has(name.toLowerCase()));
  const [[first] = ['']] = further;
  const signs = [
    ['Connection: close', named.some(([name, value]) => name === 'connection' && /close/i.test(value))],
    ['a condition', named.some(([name]) => /^if-(?:none-match|modified-since)$/.test(name))],
    [
      'the User-Agent of a health check',
      named.some(([name, value]) => name === 'user-agent' && /probe|health/i.test(value)),
    ],
    [further.length > 1 ? `${first} and further header fields` : first, further.length > 0],
    ['an inner address', further.some(([, value]) => INNER_ADDRESS.test(value))],
  ] as const;
  return signs.filter(([, holds]) => holds).map(([sign]) => sign);
}

/** What a request asks for, and in which spelling; a memory of them stays small. */
export function formOf({ request, credential }: SentRequest): string {
  const { operation, method, path, headers, body } = request;
  const spelled = SPELLINGS.filter(([sign]) => sign.test(path)).map(([, name]) => name);
  const key = credential.kind === 'open' ? ['another spelling of the key'] : [];
  const long = (body?.length ?? 0) > LONG_BYTES ? ['a long body'] : [];
  const what = operation ?? method;
  const signsOf = [...spelled, ...key, ...long, ...fieldsOf(headers)];
  return signsOf.length === 0 ? what : `${what} with ${signsOf.join(' and ')}`;
}
