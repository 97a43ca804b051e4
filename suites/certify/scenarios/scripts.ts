import type { RetryAfterScript, ClientScenario, ScriptedAnswer } from './scenario.ts';

type Script = NonNullable<ClientScenario['script']>;

/** Gives these answers in this order, and leaves what comes after them to the service. */
export function answersFirst(...answers: readonly ScriptedAnswer[]): Script {
  return (turn) => answers[turn] ?? null;
}

type LimitedBody = Extract<ScriptedAnswer, { readonly kind: 'limited' }>['body'];

/** A 429 that asks for a wait of that many seconds, with an Error object if nothing else is said. */
export function limitedFor(
  seconds: number,
  form: RetryAfterScript['form'] = 'delta-seconds',
  body: LimitedBody = 'error',
): ScriptedAnswer {
  return { kind: 'limited', retryAfter: { form, seconds }, body };
}

/** The same because the day is used up, while the headers describe the minute. */
export function limitedByDay(
  seconds: number,
  form: RetryAfterScript['form'] = 'delta-seconds',
  body: LimitedBody = 'error',
): ScriptedAnswer {
  return { kind: 'limited', retryAfter: { form, seconds }, body, byDay: true };
}
