import { asInteger, isJsonObject, parseJson, stringifyJson } from '../../../contract/json/index.ts';
import { headerValues } from '../../../contract/rate-limit-headers.ts';
import type { RequirementId } from '../../../contract/requirements/index.ts';
import { readMembers } from '../../oracle/index.ts';
import { showValue } from '../records/compare-inventory.ts';
import { hideClientKey } from '../records/record-client-exchange.ts';
import { say, type ClientExchange, type ClientJudge, type ClientJudgement } from '../records/record.ts';
import { clientRequests, isCutShort, momentOf, parseBody, readTarget } from '../records/traffic-reading.ts';

/** Fails with the first of the exchanges that has a problem; passes if there are any. */
export function judgeEach(
  id: RequirementId,
  exchanges: readonly ClientExchange[],
  change: string,
  problemOf: (exchange: ClientExchange, index: number) => string | null,
): ClientJudgement | null {
  for (const [index, exchange] of exchanges.entries()) {
    const problem = problemOf(exchange, index);
    if (problem !== null) {
      return say.fail(id, problem, change, exchange);
    }
  }
  return exchanges.length > 0 ? say.pass(id) : null;
}

/** What is said of a request that is wrong where those before it were right, as with a retry. */
export function afterRight(index: number): string {
  return index === 0
    ? ''
    : ` It was request ${index + 1}; ${index === 1 ? 'the first was' : 'those before it were'} right.`;
}

/** The key as bearer token on every request; the name of the scheme in any letter-case (RFC 9110, section 11.1). */
export const bearer: ClientJudge = {
  id: 'bearer',
  title: 'The client sends its key as bearer token',
  judges: ['client-sends-bearer'],
  judge: (record) => {
    const requests = clientRequests(record);
    return judgeEach(
      'client-sends-bearer',
      requests,
      'Send "Authorization: Bearer <API_KEY>", once, on every request, retries too.',
      (exchange, index) => {
        const problem = problemOfCredentials(exchange, record.apiKey);
        return problem === null
          ? null
          : `Request ${index + 1} of ${requests.length}, at ${momentOf(record, exchange.receivedAt)}, ${problem}.`;
      },
    );
  },
};

function problemOfCredentials({ request }: ClientExchange, apiKey: string): string | null {
  const values = headerValues(request.headers, 'Authorization');
  const [value] = values;
  if (value === undefined) {
    return 'has no Authorization header';
  }
  if (values.length > 1) {
    return `has ${values.length} Authorization headers`;
  }
  const { scheme, token } = /^(?<scheme>\S+)(?: +(?<token>.*))?$/.exec(value.trim())?.groups ?? {};
  if (token === undefined) {
    return value.includes(apiKey)
      ? 'carries the key without the scheme Bearer'
      : 'has an Authorization header without a token';
  }
  if (scheme?.toLowerCase() !== 'bearer') {
    return 'has an Authorization header with another scheme than Bearer';
  }
  return token === apiKey ? null : `carries ${nameToken(token, apiKey)}`;
}

/** No part of a key is shown. */
function nameToken(token: string, apiKey: string): string {
  if (token.toLowerCase() === apiKey.toLowerCase()) {
    return 'the key in another letter-case';
  }
  if (token.includes(apiKey)) {
    return 'the key with something around it';
  }
  return apiKey.startsWith(token) ? 'only the beginning of the key' : 'another key than the one it was given';
}

/** The quantity as an integer in a JSON object, sent as application/json. */
export const updateBody: ClientJudge = {
  id: 'update-body',
  title: 'An update carries the quantity that was asked for',
  judges: ['client-update-body'],
  judge: (record) => {
    const { task } = record.scenario;
    if (task.operation !== 'updateInventory') {
      return null;
    }
    const hide = (text: string): string => hideClientKey(text, record).slice(0, 100);
    return judgeEach(
      'client-update-body',
      // The content is known only once the request was read, and another method is judged by `operation`.
      clientRequests(record).filter(
        ({ request, answeredAt }) => request.method === 'PATCH' && answeredAt !== null,
      ),
      `Send {"quantity":${task.quantity}} with Content-Type: application/json.`,
      (exchange, index) => {
        const problem =
          problemOfType(exchange.request, hide) ?? problemOfContent(exchange, task.quantity, hide);
        return problem === null ? null : `${problem}${afterRight(index)}`;
      },
    );
  },
};

function problemOfType(
  { headers }: ClientExchange['request'],
  hide: (text: string) => string,
): string | null {
  const values = headerValues(headers, 'Content-Type');
  const [value] = values;
  if (value === undefined || values.length > 1) {
    return `The update has ${value === undefined ? 'no' : values.length} Content-Type header${value === undefined ? '' : 's'}.`;
  }
  return value.split(';')[0]?.trim().toLowerCase() === 'application/json'
    ? null
    : `The Content-Type of the update is ${JSON.stringify(hide(value))}, not application/json.`;
}

function problemOfContent(
  exchange: ClientExchange,
  quantity: number,
  hide: (text: string) => string,
): string | null {
  const { headers, body } = exchange.request;
  if (isCutShort(exchange)) {
    const [length] = headerValues(headers, 'Content-Length');
    return length === undefined
      ? 'The content of the update is empty, or the chunk of length 0 that ends it did not come.'
      : `Content-Length says ${hide(length)}, and the content of the update could not be read whole.`;
  }
  if (body.length === 0) {
    return 'The update has no content.';
  }
  const content = parseBody(body);
  if (content === undefined) {
    const [coding] = headerValues(headers, 'Content-Encoding');
    const coded = coding === undefined ? '' : ` but in the content coding ${hide(coding)}`;
    // A byte order mark would not be seen.
    const shown = JSON.stringify(hide(body.toString('utf8'))).replaceAll('\uFEFF', String.raw`\uFEFF`);
    return `The content of the update is not JSON in UTF-8${coded}: ${shown}.`;
  }
  if (!isJsonObject(content)) {
    return `The content of the update is ${showValue(content)}, not a JSON object.`;
  }
  const sent = readMembers(body.toString()).filter(({ name }) => name === 'quantity');
  if (sent.length === 0) {
    return `The content of the update has no member quantity: ${hide(stringifyJson(content))}.`;
  }
  // A service may take any of several.
  const wrong = sent.find(({ text }) => asInteger(parseJson(text)) !== BigInt(quantity));
  return wrong === undefined
    ? null
    : `${sent.length === 1 ? 'The' : 'A'} quantity of the update is ${showValue(parseJson(wrong.text))}; the integer ${quantity} was asked for.`;
}

/** The petId in the path, exact to the last digit; if the path is another one altogether, `operation` says so. */
export const exactPetId: ClientJudge = {
  id: 'exact-pet-id',
  title: 'An update names the pet that was asked for',
  judges: ['client-exact-pet-id'],
  judge: (record) => {
    const { task } = record.scenario;
    if (task.operation !== 'updateInventory') {
      return null;
    }
    const petIdOf = ({ request }: ClientExchange): string => {
      const [collection, petId = ''] = readTarget(request.target, record.baseUrl).segments ?? [];
      return collection === 'inventory' ? petId : '';
    };
    return judgeEach(
      'client-exact-pet-id',
      clientRequests(record).filter((exchange) => petIdOf(exchange) !== ''),
      'Keep petId as an integer of 64 bits or as a string of digits from end to end, and write all its digits and nothing else.',
      (exchange) => {
        const petId = petIdOf(exchange);
        return petId === task.petId.toString()
          ? null
          : `The path names pet ${hideClientKey(petId, record).slice(0, 60)}; ${task.petId} was asked for.`;
      },
    );
  },
};
