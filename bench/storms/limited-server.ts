import { callAt } from '../../fixtures/answer-times.ts';
import {
  startReferenceServer,
  type Alteration,
  type Service,
  type ServiceRequest,
  type ServiceResponse,
} from '../../reference-server/index.ts';
import { BENCH_ITEMS, serveParent } from '../servers/protocol.ts';
import { isLimiterName, limiterAlterations } from './limiters.ts';

// The reference server with a capacity that is known, a short minute, and a key for each client: key-0, key-1 …
const [limiter = '', ...figures] = process.argv.slice(2);
const [clients = 0, perMinute = 0, workers = 0, serviceSeconds = 0, refusalShare = 0] = figures.map(Number);
if (!isLimiterName(limiter)) {
  throw new RangeError(`There is no limiter ${limiter}`);
}
const server = await startReferenceServer({
  control: false,
  inventory: BENCH_ITEMS,
  keys: Array.from({ length: clients }, (_, client) => ({
    key: `key-${client}`,
    plan: 'enterprise' as const,
    perMinute,
    perDay: 1_000_000,
  })),
  alterations: [...limiterAlterations(limiter), withCapacity({ workers, serviceSeconds, refusalShare })],
});
serveParent(`${server.url}/inventory`);

/** How fast a real service is made to work. */
interface RealCapacity {
  readonly workers: number;
  readonly serviceSeconds: number;
  readonly refusalShare: number;
}

interface Waiting {
  readonly request: ServiceRequest;
  readonly resolve: (response: ServiceResponse) => void;
  readonly reject: (error: unknown) => void;
  readonly arrival: number;
}

/**
 * Gives a service a capacity that is known. A request is decided on when a worker takes it. Workers keep to a schedule, so
 * that the lateness of timers delays single responses but does not add up.
 */
function withCapacity({ workers, serviceSeconds, refusalShare }: RealCapacity): Alteration {
  return {
    service: (service) => {
      const waiting: Waiting[] = [];
      // When each idle worker became free, on the clock of performance.now.
      const idle: number[] = Array.from({ length: workers }, () => 0);

      async function work(next: Waiting, free: number): Promise<void> {
        const begun = Math.max(next.arrival, free);
        try {
          const response = await service.respond(next.request);
          const share = response.status < 300 ? 1 : refusalShare;
          const done = begun + serviceSeconds * share * 1_000;
          callAt(done, () => {
            next.resolve(response);
            idle.push(done);
            begin();
          });
        } catch (error) {
          next.reject(error);
          idle.push(begun);
          begin();
        }
      }

      function begin(): void {
        while (idle.length > 0 && waiting.length > 0) {
          const next = waiting.shift();
          const free = idle.shift();
          if (next !== undefined && free !== undefined) {
            void work(next, free);
          }
        }
      }

      return {
        ...service,
        respond: (request) =>
          new Promise<ServiceResponse>((resolve, reject) => {
            waiting.push({ request, resolve, reject, arrival: performance.now() });
            begin();
          }),
      } satisfies Service;
    },
  };
}
