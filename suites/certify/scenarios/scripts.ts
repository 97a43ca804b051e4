import type { RetryAfterScript, ClientScenario, ScriptedAnswer } from './scenario.ts';

type Script = NonNullable<ClientScenario['script']>;

/** Gives these answers in this order, and leaves what comes after them to the service. */
export function answersFirst(...answers: readonly ScriptedAnswer[]): Script {
  return (turn) => answers[turn] ?? null;
}

/** A 429 with an Error object that asks for a wait of that many seconds. */
export function limitedFor(
  seconds: number,
  form: RetryAfterScript['form'] = 'delta-seconds',
): ScriptedAnswer {
  return { kind: 'limited', retryAfter: { form, seconds }, body: 'error' };
}

/** The same because the day is used up, while the headers describe the minute. */
export function limitedByDay(
  seconds: number,
  form: RetryAfterScript['form'] = 'delta-seconds',
): ScriptedAnswer {
  return { kind: 'limited', retryAfter: { form, seconds }, body: 'error', byDay: true };
}
