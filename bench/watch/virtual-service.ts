import type { HeaderField } from '../../contract/verdict.ts';
import { PLAN_LIMITS } from '../../contract/plans.ts';
import { startReferenceServer, type Service, type ServiceParts } from '../../reference-server/index.ts';
import type { TrafficRequest } from '../../suites/watch/index.ts';

export const HOUR_MILLISECONDS = 3_600_000;

const START_SECONDS = Date.UTC(2026, 0, 1) / 1_000;

const BUSY = { perMinute: 6_000, perDay: 10_000_000 };

const DESCRIBED = [
  { key: 'enterprise-Endless-Heron-01', label: 'enterprise#1', plan: 'enterprise', limits: BUSY },
  { key: 'enterprise-Endless-Heron-02', label: 'enterprise#2', plan: 'enterprise', limits: BUSY },
  { key: 'free-Endless-Heron-03', label: 'free#1', plan: 'free', limits: PLAN_LIMITS.free },
] as const;

export type VirtualService = Awaited<ReturnType<typeof startVirtualService>>;

/** The core of the reference server in this process, in virtual time. */
export async function startVirtualService() {
  let milliseconds = 0;
  const clock = { now: () => START_SECONDS + milliseconds / 1_000 };
  const core = Promise.withResolvers<readonly [service: Service, keys: ServiceParts['keys']]>();
  const server = await startReferenceServer({
    control: false,
    keys: DESCRIBED.map(({ key, plan, limits }) => ({ key, plan, ...limits })),
    alterations: [
      {
        parts: () => ({ clock }),
        service: (service, { keys }) => {
          core.resolve([service, keys]);
          return service;
        },
      },
    ],
  });
  const [service, keys] = await core.promise;
  let issued: string | null = null;
  return {
    /** Unix milliseconds. */
    now: () => clock.now() * 1_000,
    advance: (more: number) => {
      milliseconds += more;
    },
    respond: async ({ method, url, headers, body }: TrafficRequest) => {
      const bytes = Buffer.from(body ?? '');
      const answer = await service.respond({
        method,
        target: new URL(url).pathname,
        headers: headers.flat(),
        connection: { id: 1, remoteAddress: '127.0.0.1', drop: () => {} },
        readBody: async () => ({ state: 'complete', bytes }),
      });
      const fields = answer.headers;
      return {
        status: answer.status,
        headers: Array.from({ length: fields.length / 2 }, (_, index): HeaderField => [
          fields[2 * index] ?? '',
          fields[2 * index + 1] ?? '',
        ]),
        body: Buffer.from(answer.body),
      };
    },
    described: DESCRIBED,
    /** A new key of the plan Free. The one before is revoked. */
    issue: () => {
      if (issued !== null) {
        keys.revoke(issued);
      }
      issued = keys.issue('free', {}).key;
      return issued;
    },
    close: server.close,
  };
}
