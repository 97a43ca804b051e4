import { setTimeout as sleep } from 'node:timers/promises';

import type { Alteration } from '../alterations/alteration.ts';
import type { Service } from '../service/messages.ts';
import { keyOf } from '../alterations/requests.ts';
import type { ServiceParts } from '../service/service.ts';
import { createLoadMeter, type CrowdMeter } from './load-meter.ts';

const SERVICE_MILLISECONDS = 0.5;

/**
 * An alteration that depends on how many requests are under way. Every request waits in one queue, as for a database,
 * which lets 2,000 pass in a second: only so can requests be under way together.
 * @param start called once for each server
 */
export function alterUnderLoad(start: (load: CrowdMeter) => Alteration): Alteration {
  // Servers are composed without a pause, so they cannot mix it up.
  let begun: { readonly alteration: Alteration; readonly queue: (service: Service) => Service } | undefined;
  return {
    parts: (parts) => {
      const { load, ...meter } = createLoadMeter();
      const alteration = start(load);
      begun = { alteration, queue: (service) => withQueue(service, parts, meter) };
      return alteration.parts?.(parts) ?? {};
    },
    answers: (answers, parts) => begun?.alteration.answers?.(answers, parts) ?? {},
    service: (service, parts) => {
      const altered = begun?.alteration.service?.(service, parts) ?? service;
      return begun?.queue(altered) ?? altered;
    },
  };
}

function withQueue(
  service: Service,
  parts: ServiceParts,
  { enter, leave }: Pick<ReturnType<typeof createLoadMeter>, 'enter' | 'leave'>,
): Service {
  let freeAt = 0;
  return {
    ...service,
    respond: async (request) => {
      const key = keyOf(parts, request);
      enter(key);
      const now = performance.now();
      freeAt = Math.max(now, freeAt) + SERVICE_MILLISECONDS;
      await sleep(freeAt - now);
      try {
        return await service.respond(request);
      } finally {
        leave(key);
      }
    },
  };
}
