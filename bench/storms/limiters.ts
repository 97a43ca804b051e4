import { type Alteration, lastFor, VARIANTS } from '../../reference-server/index.ts';

/** Limits under which a storm is played, by a name that goes to another process. */
export const LIMITERS = {
  'windows from the first request, seconds': ['ban-of-five-seconds'],
  'windows at whole minutes, dates': ['aligned-windows', 'retry-after-as-date', 'ban-of-five-seconds'],
} as const;

export type LimiterName = keyof typeof LIMITERS;

/** How long the minute lasts, so that a storm takes seconds. */
const MINUTE_SECONDS_IN_STORMS = 6;

export function limiterAlterations(name: LimiterName): readonly Alteration[] {
  const ids: readonly string[] = LIMITERS[name];
  return [
    ...VARIANTS.filter(({ id }) => ids.includes(id)).map(({ alter }) => alter),
    // Last, since it shortens the windows that the others choose.
    lastFor('minute', MINUTE_SECONDS_IN_STORMS),
  ];
}

export function isLimiterName(name: string): name is LimiterName {
  return Object.hasOwn(LIMITERS, name);
}
