import { PLAN_LIMITS } from '../../contract/plans.ts';
import { countText } from '../../reports/index.ts';
import { requestsOf, type KeyNeed } from '../../suites/target/index.ts';
import type { Check } from '../../suites/verify/index.ts';

const USES = {
  share: 'stays within its limit',
  spare: 'stays within its limit and uses only what the deciding checks leave over',
  exhaust: 'uses up a window',
  ban: 'continues after a 429, which may get the key banned',
} as const;

/** What it takes to run a check, in words. */
export function describeNeeds({ needs, after, anonymousRequests = 0 }: Check): readonly string[] {
  const { keys, pets = 0, control = [] } = needs;
  return [
    `profile ${needs.profile}${needs.profile === 'full' ? '' : ' or wider'}`,
    ...[...Map.groupBy(keys, describeKey)].map(([words, group]) =>
      group.length === 1 ? words : `${group.length} keys, each ${words}`,
    ),
    ...(anonymousRequests === 0
      ? []
      : [`at most ${countText(anonymousRequests, 'request')} without a valid key`]),
    ...(pets === 0 ? [] : [`${countText(pets, 'pet')} to write to, restored afterwards`]),
    ...(control.length === 0 ? [] : [`a control URL that offers ${control.join(' and ')}`]),
    ...(needs.revokedKey === true ? ['a revoked key, or a control URL that can revoke one'] : []),
    ...(needs.long === true ? ['--long, since it takes many windows of real time'] : []),
    ...(needs.realTimeOnly === true
      ? ['no control clock: with one, other checks judge the same faster']
      : []),
    ...(after === undefined ? [] : [`what ${after.id} finds out, which runs first`]),
    ...(needs.alone === true ? ['to run alone'] : []),
  ];
}

function describeKey(need: KeyNeed): string {
  const plan = need.plan === 'any' ? 'a key of any plan' : `${article(need.plan)} ${need.plan} key`;
  const optional = need.optional === true ? ', if there is one' : '';
  const usedToday = need.usedToday === undefined ? '' : ', issued with most of its day limit used';
  return `${plan}${optional}${usedToday}: ${USES[need.use]}, ${describeRequests(need)}`;
}

function describeRequests(need: KeyNeed): string {
  const limits =
    need.agree ?? (need.plan === 'enterprise' ? null : PLAN_LIMITS[need.plan === 'any' ? 'free' : need.plan]);
  if (typeof need.requests !== 'number' && limits === null) {
    return 'as many requests as its limits require';
  }
  const { rounds = 1 } = need;
  const each = rounds === 1 ? '' : ` in each of ${rounds} windows`;
  return `at most ${countText(requestsOf(need, limits ?? PLAN_LIMITS.free), 'request')}${each}`;
}

function article(plan: string): string {
  return plan.startsWith('e') ? 'an' : 'a';
}
