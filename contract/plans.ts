/** The plans of the specification, section "Rate limits by plan". */
export const PLANS = ['free', 'pro', 'business', 'enterprise'] as const;

export type Plan = (typeof PLANS)[number];

/** Requests that a key may make in a minute and in a day. */
export interface PlanLimits {
  readonly perMinute: number;
  readonly perDay: number;
}

/** Limits in requests; `enterprise` is agreed key by key, so it has none here. */
export const PLAN_LIMITS: Readonly<Record<Exclude<Plan, 'enterprise'>, PlanLimits>> = {
  free: { perMinute: 60, perDay: 1_000 },
  pro: { perMinute: 300, perDay: 10_000 },
  business: { perMinute: 1_000, perDay: 100_000 },
};

export const MINUTE_SECONDS = 60;
export const DAY_SECONDS = 86_400;
