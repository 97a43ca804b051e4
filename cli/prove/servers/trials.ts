import type { Fault, Variant } from '../../../reference-server/index.ts';
import { isPossible } from '../../library/catalogue.ts';
import type { TrialOutcome, TrialResult } from '../../../reports/index.ts';

/** A server to be judged: the variants that it takes, and the fault that it has or none. */
export interface Trial {
  readonly variants: readonly Variant[];
  readonly fault: Fault | null;
}

/** A trial in names, as it goes to a worker. */
export interface TrialNames {
  readonly variants: readonly string[];
  readonly fault: string | null;
}

export function trialNames({ variants, fault }: Trial): TrialNames {
  return { variants: variants.map(({ id }) => id), fault: fault?.id ?? null };
}

/** What trials are made of. */
export interface TrialMaterial {
  readonly faults: readonly Fault[];
  readonly variants: readonly Variant[];
  /** Variants that every server takes. */
  readonly underlying: readonly Variant[];
}

const MOST_COMBINED = 16;

/** A server that takes nothing but what underlies all. */
export function plainTrial({ underlying }: TrialMaterial): Trial {
  return { variants: underlying, fault: null };
}

/** Each variant alone and each fault alone, on top of what underlies them all; the impossible ones are left out. */
export function singleTrials({ faults, variants, underlying }: TrialMaterial): readonly Trial[] {
  const others = variants.filter((variant) => !underlying.includes(variant));
  return [
    ...others.map((variant) => ({ variants: [...underlying, variant], fault: null })),
    ...faults.map((fault) => ({ variants: underlying, fault })),
  ].filter(isPossible);
}

/**
 * Each variant in one server of several, and each fault alone; fewer servers, but what a variant does can hide what
 * another does.
 */
export function combinedTrials({ faults, variants, underlying }: TrialMaterial): readonly Trial[] {
  const chosen = variants.filter((variant) => !underlying.includes(variant));
  const rivals = Map.groupBy(chosen, ({ freedom }) => freedom);
  // What has most rivals goes first, since each of these needs a server of its own.
  const dealt = [...rivals.values()].toSorted((one, other) => other.length - one.length).flat();
  const combinations: Variant[][] = [];
  const wanted = Math.ceil(dealt.length / MOST_COMBINED);
  // Neighbours in the catalogue are dealt to different servers, since they are the ones that hide each other.
  for (const variant of dealt) {
    const place =
      combinations.length < wanted
        ? undefined
        : combinations
            .toSorted((one, other) => one.length - other.length)
            .find((combination) =>
              isPossible({ variants: [...underlying, ...combination, variant], fault: null }),
            );
    if (place === undefined) {
      combinations.push([variant]);
    } else {
      place.push(variant);
    }
  }
  const combined = combinations
    .map((combination) => ({ variants: [...underlying, ...combination], fault: null }))
    .filter(isPossible);
  return [...combined, ...singleTrials({ faults, variants: [], underlying })];
}

/** A trial, and what came of it. */
export interface JudgedTrial {
  readonly trial: Trial;
  readonly result: TrialResult;
}

const OPEN: ReadonlySet<TrialOutcome> = new Set(['undecided', 'elsewhere', 'missed']);

/**
 * Judges once more, one at a time, each conformant server that was left undecided, and each fault that was not caught. On a
 * busy machine a window may end among requests, and requests overlap that else follow one another. The second result stands,
 * and so does at once that a conformant server was accused.
 * @param mayShow what it leaves out takes time for nothing
 */
export async function judgeOpenAgain(
  judged: readonly JudgedTrial[],
  judge: (trial: Trial) => Promise<TrialResult>,
  mayShow: (trial: Trial) => boolean = () => true,
): Promise<readonly JudgedTrial[]> {
  const settled: JudgedTrial[] = [];
  for (const { trial, result } of judged) {
    const isOpen = OPEN.has(result.outcome) && mayShow(trial);
    settled.push({ trial, result: isOpen ? await judge(trial) : result });
  }
  return settled;
}
