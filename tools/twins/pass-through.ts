import { CLIENT_REQUIREMENTS, SERVER_REQUIREMENTS } from '../../contract/requirements/index.ts';
import { headerValues } from '../../contract/rate-limit-headers.ts';
import { parseRetryAfter } from '../../contract/retry-after.ts';
import type { ClientExchange, ClientScenario, Counterparty } from '../../suites/certify/index.ts';
import { openProxy, type PassedExchange } from '../../suites/watch/index.ts';

/** A service that clients reach, and the keys that it knows. */
export interface ReachedService {
  /** Ends in `/v1`. */
  readonly url: string;
  readonly keys: { readonly fresh: string; readonly usedUp: string; readonly revoked: string };
  /** Uses that key up, at a moment when most of its window is left. */
  readonly useUp: () => Promise<void>;
  readonly close: () => Promise<void>;
}

const judges = CLIENT_REQUIREMENTS.map(({ id }) => id);
const inventory: ClientScenario['inventory'] = [];
/** Each service is taken as it is, so nothing of it is judged: its keys and pets are not those of a scenario. */
const breaks = SERVER_REQUIREMENTS.map(({ id }) => id);

/** What any service can be put to without a script: its own answers, and its own limit. */
export const UNSCRIPTED_SCENARIOS: readonly (ClientScenario & {
  readonly key: keyof ReachedService['keys'];
})[] = [
  {
    id: 'own-list',
    title: 'List',
    task: { operation: 'listInventory' },
    key: 'fresh',
    inventory,
    breaks,
    judges,
    seconds: 1,
  },
  {
    id: 'own-update',
    title: 'Update a pet',
    task: { operation: 'updateInventory', petId: 9_007_199_254_740_993n, quantity: 17 },
    key: 'fresh',
    inventory,
    breaks,
    judges,
    seconds: 1,
  },
  {
    id: 'own-unknown-pet',
    title: 'Update a pet that does not exist',
    task: { operation: 'updateInventory', petId: 404_404_404n, quantity: 17 },
    key: 'fresh',
    inventory,
    breaks,
    judges,
    seconds: 1,
  },
  {
    id: 'own-revoked-key',
    title: 'List with a key that was revoked',
    task: { operation: 'listInventory' },
    key: 'revoked',
    inventory,
    breaks,
    judges,
    seconds: 1,
  },
  {
    id: 'own-limit',
    title: 'List with a key that is used up',
    task: { operation: 'listInventory' },
    key: 'usedUp',
    inventory,
    breaks,
    judges,
    seconds: 60,
  },
];

/** Passes a client's requests on to a service, and records them. */
export async function passThrough(
  { url, keys, useUp }: ReachedService,
  key: keyof ReachedService['keys'],
): Promise<Counterparty> {
  if (key === 'usedUp') {
    await useUp();
  }
  const exchanges: ClientExchange[] = [];
  let next = Promise.withResolvers<void>();
  const proxy = await openProxy({
    upstream: new URL(url),
    keepHost: false,
    insecure: false,
    certificateAuthority: null,
    hostname: '127.0.0.1',
    port: 0,
    recorderFor: () => ({
      onRequest: () => (passed) => {
        exchanges.push(exchangeOf(passed));
        next.resolve();
        next = Promise.withResolvers();
      },
    }),
    onTunnel: () => () => {},
    now: () => performance.timeOrigin + performance.now(),
  });
  return {
    baseUrl: proxy.url,
    apiKey: keys[key],
    traffic: () => ({ exchanges: [...exchanges], droveIntoBan: false, elsewhere: [] }),
    activity: () => next.promise,
    close: proxy.close,
  };
}

function exchangeOf(passed: PassedExchange): ClientExchange {
  const { method, target, requestHeaders, requestBody, sentAt, response, endedAt } = passed;
  const answeredAt = response === null ? null : endedAt / 1_000;
  const [value] = response === null ? [] : headerValues(response.headers, 'Retry-After');
  const retryAfter = value === undefined ? undefined : parseRetryAfter(value);
  return {
    receivedAt: sentAt / 1_000,
    answeredAt,
    connection: 1,
    request: { method, target, headers: requestHeaders, body: Buffer.from(requestBody ?? []) },
    response: {
      status: response?.status ?? 0,
      headers: response?.headers ?? [],
      body: Buffer.from(response?.body ?? []),
    },
    allowedAt:
      retryAfter === undefined || answeredAt === null
        ? null
        : retryAfter.form === 'delta-seconds'
          ? answeredAt + retryAfter.seconds
          : retryAfter.unixSeconds,
  };
}
