import { KILLED } from './judge-mutant.ts';
import type { JudgedMutant } from './judge-mutants.ts';
import type { Mutant } from './mutant.ts';

/** Why a mutant that is not killed shows no gap of the suite, or which gap. */
type SurvivalKind =
  /** No request can tell it from the server without the mutant. */
  | 'equivalent'
  /** It behaves differently, as a permitted server may. */
  | 'permitted'
  /** It shows only in what the specification does not speak of, such as stopping the process. */
  | 'outside'
  /** A run may see it or not. */
  | 'by chance'
  /** It violates the specification, and the suite cannot see that yet. */
  | 'gap';

/** Why some mutants of one declaration survive. */
export interface SurvivalReason {
  readonly kind: SurvivalKind;
  /** In a sentence or two. */
  readonly why: string;
  /** As `--list` shows them; `not reached`: all to whose place no request comes. */
  readonly mutants: readonly string[] | 'not reached';
}

/** Reasons by file and declaration, such as `service/window.ts resumeWindow`. */
export type SurvivalReasons = Readonly<Record<string, readonly SurvivalReason[]>>;

export interface ReasonedMutant extends JudgedMutant {
  /** Why it survives; `null` if it is killed, or no reason is known. */
  readonly reason: SurvivalReason | null;
}

/** How the reasons fit what became of the mutants. */
export interface Reasoning {
  readonly results: readonly ReasonedMutant[];
  /** Mutants that are not killed, and have no reason. */
  readonly unexplained: readonly JudgedMutant[];
  /** Reasons whose mutant is killed, or is not there any more; each in words. */
  readonly stale: readonly string[];
}

/** @param known every mutant of the build; the reasons of those that were not judged stay open */
export function reasonAbout(
  judged: readonly JudgedMutant[],
  known: readonly Mutant[],
  reasons: SurvivalReasons,
): Reasoning {
  const results = judged.map((result) => ({
    ...result,
    reason: KILLED.has(result.fate) ? null : reasonFor(result, reasons),
  }));
  const killed = judged.filter(({ fate }) => KILLED.has(fate));
  const needless = killed.filter((result) => {
    const reason = reasonFor(result, reasons);
    return reason !== null && reason.kind !== 'by chance';
  });
  return {
    results,
    unexplained: results.filter(({ fate, reason }) => !KILLED.has(fate) && reason === null),
    stale: [
      ...namesOf(reasons)
        .filter((name) => !known.some((mutant) => nameOf(mutant) === name))
        .map((name) => `${name} (there is no such mutant)`),
      ...needless.map(({ mutant }) => `${nameOf(mutant)} (it is killed)`),
    ],
  };
}

/** Where the reasons for a mutant stand. */
export function placeOf({ file, declaration }: Mutant): string {
  return `${file} ${declaration}`;
}

function nameOf(mutant: Mutant): string {
  return `${placeOf(mutant)}: ${mutant.change}`;
}

function namesOf(reasons: SurvivalReasons): readonly string[] {
  return Object.entries(reasons).flatMap(([place, rows]) =>
    rows.flatMap(({ mutants }) =>
      mutants === 'not reached' ? [] : mutants.map((change) => `${place}: ${change}`),
    ),
  );
}

/** The reason that names a mutant; `null` if none does. */
export function namedReason(mutant: Mutant, reasons: SurvivalReasons): SurvivalReason | null {
  const rows = reasons[placeOf(mutant)] ?? [];
  return rows.find(({ mutants }) => mutants !== 'not reached' && mutants.includes(mutant.change)) ?? null;
}

function reasonFor({ mutant, fate }: JudgedMutant, reasons: SurvivalReasons): SurvivalReason | null {
  const unreached = reasons[placeOf(mutant)]?.find(({ mutants }) => mutants === 'not reached');
  return namedReason(mutant, reasons) ?? (fate === 'not reached' ? (unreached ?? null) : null);
}
