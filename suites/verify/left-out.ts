import { requirement, type RequirementId } from '../../contract/requirements/index.ts';
import { enumeration } from '../../contract/words/enumeration.ts';
import { PROFILES, type Profile } from '../../contract/verdict.ts';
import type { Judgements } from '../oracle/index.ts';
import type { Check } from '../stimuli/index.ts';
import type { TargetConfig } from '../target/index.ts';
import type { CheckSummary } from './perform-check.ts';
import type { RunTally } from './perform-plan.ts';
import type { LeftOut } from './plan-run.ts';

/** What a run was given, and what it came to. */
interface Judged {
  readonly config: Pick<TargetConfig, 'profile' | 'control'>;
  readonly judgements: Judgements;
  readonly asksFor?: ((id: RequirementId) => boolean) | undefined;
  /** What may have hidden violations from the checks, in words. */
  readonly disturbances: readonly string[];
}

/** What became of its checks. */
interface Tallied {
  readonly leftOut: readonly LeftOut[];
  readonly cutOff: RunTally['cutOff'];
  readonly summaries: readonly CheckSummary[];
}

/** Says why checks were left out, unless another check judges the same and had no time for it, and of the rest what is open. */
export function noteLeftOut(
  { config, judgements, asksFor, disturbances }: Judged,
  { leftOut, cutOff, summaries }: Tallied,
): void {
  const noTime = new Set([...cutOff].flatMap(({ judges }: Check) => judges));
  const done = summaries.flatMap(({ check, outcome }) => (outcome === 'done' ? check : []));
  const skip = ({ id: by }: Check, ids: readonly RequirementId[], reason: string): void =>
    ids.forEach((id) => judgements.skip(by, id, reason));
  const isOpen = (id: RequirementId): boolean => judgements.judgementOf(id, asksFor).judgedBy.length === 0;
  const provokedInVain = new Set([...new Set(done.flatMap(({ judges }) => judges))].filter(isOpen));
  for (const { check, reason } of leftOut) {
    // Of several larger profiles the smallest is what it takes.
    const isToldByOther = (id: RequirementId): boolean =>
      leftOut.some(
        ({ check: { judges, needs } }) =>
          judges.includes(id) &&
          isSmaller(config.profile, needs.profile) &&
          isSmaller(needs.profile, check.needs.profile),
      );
    skip(
      check,
      check.judges.filter((id) => !noTime.has(id) && !isToldByOther(id) && !provokedInVain.has(id)),
      reason,
    );
  }
  const advice = config.control === null ? ': give keys that nobody else uses, or a control URL.' : '.';
  const leftOpen =
    LEFT_OPEN + (disturbances.length > 0 ? `, since ${enumeration(disturbances)} meanwhile.` : advice);
  // What its row says of it is nearer.
  const isUnexplained = (id: RequirementId): boolean =>
    provokedInVain.has(id) && requirement(id).unseen === undefined;
  for (const check of done) {
    skip(check, check.judges.filter(isUnexplained), leftOpen);
  }
  const inPassing = leftOut.map(({ check, reason }) => ({
    check,
    reason,
    ids: check.alsoJudges?.filter(isOpen) ?? [],
  }));
  for (const { check, reason, ids } of inPassing) {
    skip(check, ids, reason);
  }
}

function isSmaller(one: Profile, other: Profile): boolean {
  return PROFILES.indexOf(one) < PROFILES.indexOf(other);
}

const LEFT_OPEN = 'A check provoked it, and a server that breaks it could have answered the same';
