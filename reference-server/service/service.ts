import { MINUTE_SECONDS, PLAN_LIMITS } from '../../contract/plans.ts';
import { answerError, type Answer, type Renderer } from './answer.ts';
import type { Authenticator } from './authenticator.ts';
import type { HandlerParts, Handlers } from './handlers.ts';
import type { KeyStore } from './key-store.ts';
import type { Service, ServiceRequest } from './messages.ts';
import type { Decision, LimitState, RateLimiter } from './rate-limiter.ts';
import type { RefusalParts, Refusals } from './refusals.ts';
import type { Router } from './router.ts';

/** What the service is made of; each part can be replaced by another. */
export interface ServiceParts extends HandlerParts, RefusalParts {
  readonly clock: Clock;
  readonly keys: KeyStore;
  readonly authenticate: Authenticator;
  readonly limiter: RateLimiter;
  /** Which window the headers of a response describe. */
  readonly describe: (decision: Decision) => LimitState;
  /** What the headers say to a request without a valid key; `now` in Unix seconds. */
  readonly describeWithoutKey: (now: number) => LimitState;
  readonly route: Router;
  readonly render: Renderer;
}

/** What answers a request: an operation, or a refusal. */
export interface Answers extends Handlers, Refusals {}

/**
 * Composes the service: first the key, then the limits, then the route, then the operation.
 * A request is counted when `respond` is called, before its content is read.
 */
export function createService(parts: ServiceParts, answers: Answers): Service {
  const { clock, keys, authenticate, limiter, describe, describeWithoutKey, route, render } = parts;

  function answerRequest(request: ServiceRequest): Answer | Promise<Answer> {
    const match = route(request.method, request.target);
    switch (match.kind) {
      case 'operation':
        return answers[match.operation](request, match.petId);
      case 'not-found':
        return answers.notFound();
      case 'method-not-allowed':
        return answers.methodNotAllowed(match.allow);
    }
  }

  return {
    respond: (request) => {
      const now = clock.now();
      const key = authenticate(request, keys);
      if (key === 'missing' || key === 'invalid') {
        return render(answers.unauthorized(key), describeWithoutKey(now), now);
      }
      const decision = limiter.decide(key, now, request);
      const described = describe(decision);
      if (!decision.accepted) {
        const answer = decision.banned
          ? answers.banned(decision, now)
          : answers.limited(decision, described, now);
        return render(answer, described, now);
      }
      const answer = answerRequest(request);
      return answer instanceof Promise
        ? answer.then((later) => render(later, described, now))
        : render(answer, described, now);
    },
    refuse: ({ headers, ...error }) => {
      const now = clock.now();
      return render(answerError(parts.representation, error, headers), describeWithoutKey(now), now);
    },
  };
}

/** Without a valid key there is no window: the headers then show an untouched minute of the Free plan. */
export function untouchedMinute(now: number): LimitState {
  const { perMinute } = PLAN_LIMITS.free;
  return { limit: perMinute, remaining: perMinute, resetUnixSeconds: Math.floor(now) + MINUTE_SECONDS };
}

/** Unix seconds, with fractions; never runs backwards. */
export interface Clock {
  readonly now: () => number;
}

/** A clock that flows in real time and can be set forward. */
export interface VirtualClock extends Clock {
  /** @param seconds not negative */
  readonly advance: (seconds: number) => void;
}

/** Starts at the time of the system, and is untouched by later corrections of it. */
export function createVirtualClock(): VirtualClock {
  let offset = performance.timeOrigin / 1_000;
  return {
    now: () => offset + performance.now() / 1_000,
    advance: (seconds) => {
      offset += seconds;
    },
  };
}
