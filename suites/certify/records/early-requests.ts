import type { ScenarioRecord } from './record.ts';
import { answersOf, isLimiting, clientRequests, type LimitingExchange } from './traffic-reading.ts';
import type { ClientExchange } from './traffic.ts';

/** A request that came while the client was asked to stay away. */
export interface EarlyRequest {
  /** The answer that asked for it. */
  readonly limiting: LimitingExchange;
  readonly request: ClientExchange;
  /** By how much it came too early; seconds. */
  readonly early: number;
}

/** Timers are coarse: what comes less than this early is let pass; seconds. */
export const TOLERANCE_SECONDS = 0.02;

/** What came before it was allowed, in order of arrival, whether tolerable or not. */
export function earlyRequests(record: ScenarioRecord): readonly EarlyRequest[] {
  const limitings = answersOf(record).filter((exchange) => isLimiting(exchange));
  return clientRequests(record).flatMap((request) =>
    limitings
      .filter(
        (limiting) =>
          limiting !== request &&
          request.receivedAt >= limiting.answeredAt &&
          request.receivedAt < limiting.allowedAt,
      )
      .map((limiting) => ({ limiting, request, early: limiting.allowedAt - request.receivedAt })),
  );
}

/** Whether something came too early; what follows it may only be a consequence. */
export function cameTooEarly(record: ScenarioRecord): boolean {
  return earlyRequests(record).some((request) => !isTolerable(request));
}

export function isTolerable({ early }: EarlyRequest): boolean {
  return early < TOLERANCE_SECONDS;
}
