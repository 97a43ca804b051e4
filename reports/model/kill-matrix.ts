import type { Plan } from '../../contract/plans.ts';
import { AREAS, requirement, type RequirementId } from '../../contract/requirements/index.ts';
import type { Profile } from '../../contract/verdict.ts';
import type { Observation, TargetVerdict } from './report.ts';

/**
 * `caught`: the requirement that the fault breaks failed; `elsewhere`: only others did; `missed`: no must failed.
 * `clean`: conformant, as a server without a fault is; `accused`: a must failed; `undecided`: inconclusive.
 */
export type TrialOutcome = 'caught' | 'elsewhere' | 'missed' | 'clean' | 'accused' | 'undecided';

/** Whose requests may show a fault: those of the checks of a run, or those of random sequences. */
export const SOURCES = ['checks', 'explore'] as const;

/** One run of the suite against a server of variants, with a fault or with none. */
export interface TrialResult {
  readonly variants: readonly { readonly id: string; readonly title: string }[];
  /** `null` if the server conforms. */
  readonly fault: FaultInTrial | null;
  /** The smallest profile that catches the fault, unless only one was asked for; else `full`. */
  readonly profile: Profile;
  readonly outcome: TrialOutcome;
  /** What sent the requests that showed the fault: ids of checks, `preflight` or `explore`. */
  readonly shownBy: readonly string[];
  /** Requests of the shortest sequence that shows it; `null` if the exploration did not. */
  readonly shrunkTo: number | null;
  readonly verdict: TargetVerdict;
  /** What the specification leaves open, as it was seen, by name; `null` of a server with a fault. */
  readonly observed: Readonly<Record<string, Observation>> | null;
  /** The musts that failed, with the first finding of each. */
  readonly failed: readonly { readonly id: RequirementId; readonly message: string }[];
  /** The requirement of the first finding in the report; `null` if nothing failed. */
  readonly first: string | null;
  /** Requirements that checks judged without declaring them, so that a selection would leave those checks out. */
  readonly undeclared: readonly { readonly check: string; readonly id: RequirementId }[];
  /** The musts that were inconclusive, with the reason. */
  readonly undecided: readonly { readonly id: RequirementId; readonly reason: string }[];
  readonly requests: number;
  readonly durationSeconds: number;
}

interface FaultInTrial {
  readonly id: string;
  readonly title: string;
  readonly breaks: RequirementId;
  /** What it breaks as directly. */
  readonly alsoBreaks?: readonly RequirementId[];
}

/** How the suite judged every fault and permitted variant: the report of `stockcheck prove`. */
export interface KillMatrix {
  readonly schemaVersion: 1;
  readonly kind: 'prove';
  /** `proven`: each fault was caught by the requirement that it breaks, and no conformant server was accused. */
  readonly verdict: 'proven' | 'not-proven';
  /** ISO 8601. */
  readonly startedAt: string;
  readonly durationSeconds: number;
  readonly suite: { readonly version: string; readonly specVersion: '1.0.0' };
  /** Whose requests each server got. */
  readonly by: (typeof SOURCES)[number];
  /** The plans of the keys of each run, if the control contract was left out and minutes passed in real time; else `null`. */
  readonly realTimeKeys: readonly Plan[] | null;
  /** How each server was explored, or `null`. */
  readonly explored: { readonly requests: number; readonly seed: number } | null;
  /** Variants that every server had. */
  readonly underlying: readonly string[];
  /** Whether each run against a fault ended once that requirement had failed, so that others stayed open. */
  readonly bail: boolean;
  /** In the order of the catalogue: conformant servers first. */
  readonly trials: readonly TrialResult[];
}

export type MatrixSummary = ReturnType<typeof summarize>;

/** Whether the suite judged the server wrongly. */
export function isWrong({ outcome, undeclared }: TrialResult): boolean {
  return (outcome !== 'caught' && outcome !== 'clean') || undeclared.length > 0;
}

export function summarize(trials: readonly TrialResult[]) {
  const faulty = trials.flatMap(({ fault, outcome, profile }) =>
    fault === null ? [] : [{ area: requirement(fault.breaks).area, outcome, profile }],
  );
  /** Faults of one area, or of all. */
  const tally = (rows: typeof faulty) => {
    const caught = rows.filter(({ outcome }) => outcome === 'caught');
    const countIn = (profile: Profile): number => caught.filter((row) => row.profile === profile).length;
    return {
      faults: rows.length,
      caught: caught.length,
      /** Of those caught, how many in each profile. */
      caughtIn: { safe: countIn('safe'), standard: countIn('standard'), full: countIn('full') },
    };
  };
  const conformant = trials.filter(({ fault }) => fault === null);
  return {
    byArea: AREAS.map((area) => [area, tally(faulty.filter((row) => row.area === area))] as const).filter(
      ([, { faults }]) => faults > 0,
    ),
    total: tally(faulty),
    /** Servers without a fault, and those among them that were not found conformant. */
    conformant: conformant.length,
    falseAlarms: conformant.filter(isWrong).length,
  };
}

/** The names of what a server is made of, such as `fault + variant + variant`. */
export function trialName({ fault, variants }: Pick<TrialResult, 'fault' | 'variants'>): string {
  return [fault?.id ?? 'no fault', ...variants.map(({ id }) => id)].join(' + ');
}
