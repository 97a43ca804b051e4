import { isDeepStrictEqual } from 'node:util';

import { ConfigurationError } from '../../../contract/configuration-error.ts';
import { type Freedom, FREEDOMS, type Variant, VARIANTS } from '../../../reference-server/index.ts';
import type { Observation, Report, VerifyReport } from '../../../reports/index.ts';
import knownVariants from './known-variants.json' with { type: 'json' };

export type Observations = Readonly<Record<string, Observation>>;

/** What `verify` sees of the reference, and what it sees otherwise of each variant; `null` if it sees nothing there. */
export interface KnownVariants {
  readonly reference: Observations;
  readonly variants: Readonly<Record<string, Readonly<Record<string, Observation | null>>>>;
}

export const KNOWN_VARIANTS: KnownVariants = knownVariants;

const SHARE_OF_A_WHOLE_RUN = 0.8;

/** A service of permitted choices that behaves as another one was observed to. */
export interface Twin {
  /** At most one of each freedom. */
  readonly variants: readonly Variant[];
  /** What was observed otherwise than of the reference, and no choice of ours brings about. */
  readonly unlike: readonly { readonly name: string; readonly seen: Observation }[];
  /** Freedoms of which the report says nothing, or no observation tells one choice from another. */
  readonly untold: readonly Freedom[];
  /** Observations that were compared. */
  readonly compared: number;
  /** Musts that the service violated; the twin keeps them. */
  readonly kept: readonly string[];
}

/** A twin, and the report that it was made from. */
export interface Likeness {
  readonly path: string;
  readonly twin: Twin;
}

/**
 * The twin of a service that was judged: of all variants whose every difference from the reference was observed, one after
 * the other the one that accounts for most of what is still open.
 */
export function twinOf(
  { observations, requirements }: Pick<VerifyReport, 'observations' | 'requirements'>,
  known: KnownVariants = KNOWN_VARIANTS,
): Twin {
  const compared = Object.keys(known.reference).filter((name) => name in observations);
  const unseen = soughtInVain(observations, requirements, known);
  const open = new Set(
    [...Object.keys(observations), ...unseen].filter(
      (name) => isTold(name, known) && !isDeepStrictEqual(observations[name], known.reference[name]),
    ),
  );
  const fitting = VARIANTS.filter((variant) =>
    signatureOf(variant, known).every(([name, value]) =>
      isSeen(observations[name], value, known.reference[name], unseen.has(name)),
    ),
  );
  const chosen: Variant[] = [];
  for (;;) {
    const best = bestVariant(fitting, chosen, open, known);
    if (best === null) {
      break;
    }
    chosen.push(best);
    for (const [name] of signatureOf(best, known)) {
      open.delete(name);
    }
  }
  return {
    variants: chosen,
    unlike: [...open].map((name) => ({ name, seen: observations[name] ?? 'not seen' })),
    untold: untoldFreedoms(observations, known),
    compared: compared.length,
    kept: requirements
      .filter(({ level, outcome }) => level === 'must' && outcome === 'fail')
      .map(({ id }) => id),
  };
}

/**
 * What the reference shows and the service did not, though a run that saw most looked at it: no check gave a reason why it
 * could not.
 */
function soughtInVain(
  observations: Observations,
  requirements: Pick<VerifyReport, 'requirements'>['requirements'],
  { reference }: KnownVariants,
): ReadonlySet<string> {
  const names = Object.keys(reference);
  const seen = names.filter((name) => name in observations);
  const unexplained = new Set(
    requirements
      .filter(({ outcome, checks }) => outcome === 'skipped' && checks.length === 0)
      .map(({ id }) => id),
  );
  return new Set(
    seen.length < names.length * SHARE_OF_A_WHOLE_RUN
      ? []
      : names.filter((name) => !(name in observations) && unexplained.has(name.split('.')[0] ?? name)),
  );
}

/** The freedoms none of whose variants would have been told from the reference by what was observed. */
function untoldFreedoms(observations: Observations, { variants }: KnownVariants): readonly Freedom[] {
  const told = new Set(
    VARIANTS.filter(({ id }) => Object.keys(variants[id] ?? {}).some((name) => name in observations)).map(
      ({ freedom }) => freedom,
    ),
  );
  return FREEDOMS.filter((freedom) => !told.has(freedom));
}

/** Whether an observation depends on the service alone, so that the reference or a variant has it too. */
function isTold(name: string, { reference, variants }: KnownVariants): boolean {
  return name in reference || Object.values(variants).some((signature) => name in signature);
}

/**
 * Of the fitting variants the one that accounts for most, of a freedom that is not chosen yet. Ties go to the one with fewer
 * differences, and then to the freedom that is most about what is open: a ban that nobody sees is no ban rather than an odd
 * Retry-After.
 */
function bestVariant(
  fitting: readonly Variant[],
  chosen: readonly Variant[],
  open: ReadonlySet<string>,
  known: KnownVariants,
): Variant | null {
  const taken = new Set(chosen.map(({ freedom }) => freedom));
  const candidates = fitting.flatMap((variant) => {
    const signature = signatureOf(variant, known);
    const explained = signature.filter(([name]) => open.has(name)).length;
    return !taken.has(variant.freedom) && explained > 0
      ? [{ variant, explained, size: signature.length, aim: aimOf(variant.freedom, open, known) }]
      : [];
  });
  const [best] = candidates.toSorted(
    (one, other) => other.explained - one.explained || one.size - other.size || other.aim - one.aim,
  );
  return best?.variant ?? null;
}

/**
 * What is observed of a variant. That waits which are as long as the ban of the reference hide it is not held against them: they
 * would not hide another one.
 */
function signatureOf(
  { id, freedom }: Variant,
  { variants }: KnownVariants,
): readonly (readonly [name: string, value: Observation | null])[] {
  return Object.entries(variants[id] ?? {}).filter((row) => freedom !== 'minute window' || !hidesBan(row));
}

function hidesBan([name, value]: readonly [string, Observation | null]): boolean {
  return name.includes('ban') && (value === null || String(value).startsWith('more than '));
}

/** The share of the variants of a freedom that show in what is open. */
function aimOf(freedom: Freedom, open: ReadonlySet<string>, { variants }: KnownVariants): number {
  const own = VARIANTS.filter((variant) => variant.freedom === freedom);
  const showing = own.filter(({ id }) => Object.keys(variants[id] ?? {}).some((name) => open.has(name)));
  return showing.length / own.length;
}

/** Whether the service was seen to have the value; what the run did not look at contradicts nothing. */
function isSeen(
  seen: Observation | undefined,
  value: Observation | null,
  usual: Observation | undefined,
  isSoughtInVain: boolean,
): boolean {
  if (seen === undefined) {
    return value === null || !isSoughtInVain;
  }
  return value !== null && (isDeepStrictEqual(seen, value) || isOwnPart(listed(seen), listed(value), usual));
}

/** Whether of several values those were seen that are the variant's own: what else it shows may come of a ban. */
function isOwnPart(
  seen: readonly string[],
  values: readonly string[],
  usual: Observation | undefined,
): boolean {
  const own = values.filter((value) => usual === undefined || !listed(usual).includes(value));
  return (
    own.length > 0 &&
    own.every((value) => seen.includes(value)) &&
    seen.every((value) => values.includes(value))
  );
}

function listed(observation: Observation): readonly string[] {
  return Array.isArray(observation) ? observation.map(String) : [String(observation)];
}

/**
 * The twin of the service that a report judged.
 * @param path what the report is called
 * @throws {ConfigurationError} if it says nothing of a service
 */
export function likenessOf(report: Report, path: string, named: string): Likeness {
  if (report.kind !== 'verify') {
    throw new ConfigurationError(
      `${named}: this is a report of ${report.kind}, which says little of how the service behaves; take one of verify`,
    );
  }
  if (Object.keys(report.observations).length === 0) {
    throw new ConfigurationError(
      `${named}: the run observed nothing, so there is nothing to imitate; run verify in profile standard or full`,
    );
  }
  return { path, twin: twinOf(report) };
}
