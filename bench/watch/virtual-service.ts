import type { HeaderField } from '../../contract/verdict.ts';
import { SERVER_REQUIREMENTS, type RequirementId } from '../../contract/requirements/index.ts';
import { PLAN_LIMITS, type Plan } from '../../contract/plans.ts';
import { startReferenceServer, type Service, type ServiceParts } from '../../reference-server/index.ts';
import type { TrafficRequest } from '../../suites/watch/index.ts';

export const HOUR_MILLISECONDS = 3_600_000;

const START_SECONDS = Date.UTC(2026, 0, 1) / 1_000;

/** The core of the reference server in this process, in virtual time. */
export interface VirtualService {
  /** Unix milliseconds. */
  readonly now: () => number;
  readonly advance: (milliseconds: number) => void;
  readonly respond: (request: TrafficRequest) => Promise<VirtualResponse>;
  readonly described: readonly DescribedKey[];
  /** A new key of the plan Free. The one before is revoked. */
  readonly issue: () => string;
  readonly requirements: readonly RequirementId[];
  readonly close: () => Promise<void>;
}

interface DescribedKey {
  readonly key: string;
  readonly label: string;
  readonly plan: Plan;
  readonly limits: { readonly perMinute: number; readonly perDay: number };
}

interface VirtualResponse {
  readonly status: number;
  readonly headers: readonly HeaderField[];
  readonly body: Buffer;
}

const BUSY = { perMinute: 6_000, perDay: 10_000_000 };

export async function startVirtualService(): Promise<VirtualService> {
  const described: readonly DescribedKey[] = [
    { key: 'enterprise-Endless-Heron-01', label: 'enterprise#1', plan: 'enterprise', limits: BUSY },
    { key: 'enterprise-Endless-Heron-02', label: 'enterprise#2', plan: 'enterprise', limits: BUSY },
    { key: 'free-Endless-Heron-03', label: 'free#1', plan: 'free', limits: PLAN_LIMITS.free },
  ];
  let milliseconds = 0;
  const clock = { now: () => START_SECONDS + milliseconds / 1_000 };
  const core = Promise.withResolvers<readonly [service: Service, keys: ServiceParts['keys']]>();
  const server = await startReferenceServer({
    control: false,
    keys: described.map(({ key, plan, limits }) => ({ key, plan, ...limits })),
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
    now: () => clock.now() * 1_000,
    advance: (more) => {
      milliseconds += more;
    },
    respond: async ({ method, url, headers, body }) => {
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
    described,
    issue: () => {
      if (issued !== null) {
        keys.revoke(issued);
      }
      issued = keys.issue('free', {}).key;
      return issued;
    },
    requirements: SERVER_REQUIREMENTS.map(({ id }) => id),
    close: server.close,
  };
}
