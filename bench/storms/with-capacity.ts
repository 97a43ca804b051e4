import { callAt } from '../../fixtures/load-targets/answer-times.ts';
import type { Alteration, Service, ServiceRequest, ServiceResponse } from '../../reference-server/index.ts';

/** How fast a real service is made to work. */
export interface RealCapacity {
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
export function withCapacity({ workers, serviceSeconds, refusalShare }: RealCapacity): Alteration {
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
