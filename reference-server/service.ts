import { MINUTE_SECONDS, PLAN_LIMITS } from '../contract/plans.ts';
import { answerError, type Answer } from './answer.ts';
import type { Authenticator } from './authenticator.ts';
import type { Clock } from './clock.ts';
import { createHandlers, type HandlerParts, type Handlers } from './handlers.ts';
import type { KeyStore } from './key-store.ts';
import type { Service, ServiceRequest } from './messages.ts';
import type { BanRule, Decision, LimitState, RateLimiter } from './rate-limiter.ts';
import type { Renderer } from './render.ts';
import type { Router } from './router.ts';

/** What the service is made of; each part can be replaced by another. */
export interface ServiceParts extends HandlerParts {
  readonly clock: Clock;
  readonly keys: KeyStore;
  readonly authenticate: Authenticator;
  readonly limiter: RateLimiter;
  readonly route: Router;
  readonly render: Renderer;
  /** Status of the answers to a banned key. */
  readonly banStatus: BanRule['status'];
}

/**
 * Composes the service: first the key, then the limits, then the route, then the operation.
 * A request is counted when `respond` is called, before its content is read.
 */
export function createService(parts: ServiceParts, handlers: Handlers = createHandlers(parts)): Service {
  const { clock, keys, authenticate, limiter, route, render, representation } = parts;

  function answerRequest(request: ServiceRequest): Answer | Promise<Answer> {
    const match = route(request.method, request.target);
    if (match.kind === 'operation') {
      return handlers[match.operation](request, match.petId);
    }
    return match.kind === 'not-found'
      ? answerError(representation, { code: 'not_found', message: 'No such resource.', status: 404 })
      : answerError(
          representation,
          { code: 'method_not_allowed', message: `Use ${match.allow} here.`, status: 405 },
          ['Allow', match.allow],
        );
  }

  function refuseKey(reason: 'missing' | 'invalid'): Answer {
    const message = `The API key is ${reason === 'missing' ? 'missing' : 'not valid'}.`;
    const challenge = reason === 'missing' ? 'Bearer' : 'Bearer error="invalid_token"';
    return answerError(representation, { code: `${reason}_api_key`, message, status: 401 }, [
      'WWW-Authenticate',
      challenge,
    ]);
  }

  function refuseRequest(decision: Decision): Answer {
    const retryAfter = ['Retry-After', `${decision.retryAfterSeconds}`];
    const wait = `Try again in ${decision.retryAfterSeconds} s.`;
    if (!decision.banned) {
      const message = `The rate limit of ${decision.limit} requests is exceeded. ${wait}`;
      return answerError(representation, { code: 'rate_limited', message, status: 429 }, retryAfter);
    }
    const message = `The API key is banned for continued requests after a 429. ${wait}`;
    const challenge = parts.banStatus === 401 ? ['WWW-Authenticate', 'Bearer'] : [];
    return answerError(representation, { code: 'key_banned', message, status: parts.banStatus }, [
      ...retryAfter,
      ...challenge,
    ]);
  }

  return {
    respond: (request) => {
      const now = clock.now();
      const key = authenticate(request, keys);
      if (key === 'missing' || key === 'invalid') {
        return render(refuseKey(key), stateWithoutKey(now), now);
      }
      const decision = limiter.decide(key, now, request);
      if (!decision.accepted) {
        return render(refuseRequest(decision), decision, now);
      }
      const answer = answerRequest(request);
      return answer instanceof Promise
        ? answer.then((later) => render(later, decision, now))
        : render(answer, decision, now);
    },
    refuse: ({ headers, ...error }) => {
      const now = clock.now();
      return render(answerError(representation, error, headers), stateWithoutKey(now), now);
    },
  };
}

/** Without a valid key there is no window: the headers then show an untouched minute of the Free plan. */
function stateWithoutKey(now: number): LimitState {
  const { perMinute } = PLAN_LIMITS.free;
  return {
    limit: perMinute,
    remaining: perMinute,
    resetUnixSeconds: Math.floor(now) + MINUTE_SECONDS,
  };
}
