import { setTimeout as sleep } from 'node:timers/promises';

import type { Alteration } from '../alterations/alteration.ts';
import type { Service, ServiceRequest, ServiceResponse } from '../service/messages.ts';
import type { Variant } from './variant.ts';

/** Delays responses, after they were decided on. @param start called once for each server; milliseconds */
function answerLate(start: () => (request: ServiceRequest) => number): Alteration {
  return {
    service: (service) => {
      const delayOf = start();
      return {
        ...service,
        respond: (request) => {
          const milliseconds = delayOf(request);
          return milliseconds > 0 ? later(service.respond(request), milliseconds) : service.respond(request);
        },
      };
    },
  };
}

async function later(
  response: ServiceResponse | Promise<ServiceResponse>,
  milliseconds: number,
): Promise<ServiceResponse> {
  await sleep(milliseconds);
  return response;
}

/** Delays requests, before they are decided on. */
function decideLate(milliseconds: number): Alteration {
  return {
    service: (service) => ({
      ...service,
      respond: async (request) => {
        await sleep(milliseconds);
        return service.respond(request);
      },
    }),
  };
}

/** Decides on one request at a time, in the order of their arrival. */
function oneAtATime(service: Service): Service {
  let last: Promise<unknown> = Promise.resolve();
  return {
    ...service,
    respond: (request) => {
      const response = last.then(() => service.respond(request));
      last = response.catch(() => undefined);
      return response;
    },
  };
}

function constant(milliseconds: number): Alteration {
  return answerLate(() => () => milliseconds);
}

function jitter(milliseconds: number): Alteration {
  return answerLate(() => () => Math.random() * milliseconds);
}

/** Every other request is overtaken by the one after it. */
function overtaken(): (request: ServiceRequest) => number {
  let requests = 0;
  return () => {
    requests += 1;
    return requests % 2 === 0 ? 0 : 8;
  };
}

function latency(id: string, title: string, alter: Alteration): Variant {
  return { id, title, freedom: 'latency', alter };
}

export const LATENCY_VARIANTS: readonly Variant[] = [
  latency('late-decisions', 'Requests are looked at five milliseconds after they came', decideLate(5)),
  latency('responses-out-of-order', 'Responses overtake each other', answerLate(overtaken)),
  latency('one-request-at-a-time', 'Requests are served one at a time', { service: oneAtATime }),
  {
    ...latency('slow-150-milliseconds', 'Responses come 150 milliseconds late', constant(150)),
    isSlow: true,
  },
  {
    ...latency('slow-jitter', 'Responses come up to 150 milliseconds late, at random', jitter(150)),
    isSlow: true,
  },
];
