import { DAY_SECONDS } from '../../contract/plans.ts';
import type { Alteration } from '../alterations/alteration.ts';
import type { Answer } from '../service/answer.ts';
import { headerOf, withHeader } from '../service/header-fields.ts';
import { keyOf, operationOf } from '../alterations/requests.ts';
import type { KeyRecord } from '../service/key-store.ts';
import type { ServiceResponse } from '../service/messages.ts';
import type { ServiceParts } from '../service/service.ts';
import { windowFromFirstRequest, type WindowAlgorithm } from '../service/window.ts';
import { changeLater } from '../alterations/responses.ts';
import type { Variant } from './variant.ts';

/** What remains now of the window that the response describes. */
function refresh(response: ServiceResponse, { describe, limiter, clock }: ServiceParts, key: KeyRecord) {
  const decision = limiter.look(key, clock.now());
  const shown = headerOf(response, 'X-RateLimit-Limit');
  const state = [describe(decision), decision.minute, decision.day].find(({ limit }) => `${limit}` === shown);
  return state === undefined || headerOf(response, 'X-RateLimit-Remaining') === undefined
    ? response
    : withHeader(response, 'X-RateLimit-Remaining', `${state.remaining}`);
}

const UNCOUNTED_STATUSES = new Set([400, 404, 411, 413, 415, 422]);

/** Updates that are refused for their content are taken back, and X-RateLimit-Remaining tells so. */
const takeRefusedUpdatesBack: Alteration = {
  answers: ({ updateInventory }, parts) => ({
    updateInventory: (request, petId) =>
      changeLater(updateInventory(request, petId), (answer: Answer) => {
        const key = UNCOUNTED_STATUSES.has(answer.status) ? keyOf(parts, request) : undefined;
        if (key !== undefined) {
          parts.limiter.giveBack(key);
        }
        return answer;
      }),
  }),
  service: (service, parts) => ({
    ...service,
    respond: (request) =>
      changeLater(service.respond(request), (response) => {
        const isRefused =
          UNCOUNTED_STATUSES.has(response.status) && operationOf(parts, request) === 'updateInventory';
        const key = isRefused ? keyOf(parts, request) : undefined;
        return key === undefined ? response : refresh(response, parts, key);
      }),
  }),
};

/** Requests that are refused count into windows of a day, too. */
function countingRefusedIntoDay(algorithm: WindowAlgorithm): WindowAlgorithm {
  return (limit, seconds) => {
    const window = algorithm(limit, seconds);
    return seconds === DAY_SECONDS ? { ...window, countRefused: window.count } : window;
  };
}

export const COUNTING_VARIANTS: readonly Variant[] = [
  {
    id: 'refused-count-into-the-day',
    title: 'Requests answered 429 count into the day',
    freedom: 'refused requests',
    alter: {
      options: (options) => ({
        ...options,
        window: countingRefusedIntoDay(options.window ?? windowFromFirstRequest),
      }),
    },
  },
  {
    id: 'uncounted-errors',
    title: 'Updates answered 400, 404, 413, 415 or 422 do not count',
    freedom: 'refused requests',
    alter: takeRefusedUpdatesBack,
  },
];
