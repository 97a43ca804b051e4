import { PLANS, type Plan } from '../../contract/plans.ts';
import { enforce } from './decisions.ts';
import type { Fault } from '../faults/fault.ts';

const MEMBERS = { minute: 'perMinute', day: 'perDay' } as const;

type Period = keyof typeof MEMBERS;

/** Makes faults that grant keys of one plan another number of requests in a period than the headers show. */
export function grantIn(period: Period) {
  const member = MEMBERS[period];
  return (id: string, title: string, plan: Plan, change: (limit: number) => number): Fault => ({
    id,
    title,
    breaks: `${period}-limit-${plan}`,
    alter: enforce(({ plan: own, limits }) =>
      own === plan ? { ...limits, [member]: change(limits[member]) } : limits,
    ),
  });
}

/** For each plan, one request more than its limit; then for each plan, one fewer. */
export function grantOneOff(period: Period): readonly Fault[] {
  const granted = grantIn(period);
  const offBy = (difference: number, id: string, words: string): readonly Fault[] =>
    PLANS.map((plan) =>
      granted(
        `${period}-${plan}-${id}`,
        `Keys of the ${plan} plan get one request a ${period} ${words}`,
        plan,
        (limit) => limit + difference,
      ),
    );
  return [...offBy(1, 'one-more', 'too many'), ...offBy(-1, 'one-fewer', 'too few')];
}
