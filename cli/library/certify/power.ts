import { CLIENT_REQUIREMENTS } from '../../../contract/requirements/index.ts';
import type { CertifyReport, ReportedPower } from '../../../reports/index.ts';
import { SCENARIOS } from '../../../suites/certify/index.ts';
import { decidedIds, reachByArea, reachOf } from '../reported-requirement.ts';
import knownFaults from './known-client-faults.json' with { type: 'json' };

/** What shows only in many scenarios together. */
export const TOGETHER = 'together';

/** A client with one fault, and what showed it when the sample clients were certified: ids of scenarios, or `together`. */
export interface KnownClientFault {
  /** The requirement that it breaks. */
  readonly breaks: string;
  /** The only driver that meets such a fault, or `any`. */
  readonly driver: string;
  readonly shownBy: readonly string[];
}

/** The clients with a fault of this version by their id, as `prove --clients` knows them. */
export const KNOWN_CLIENT_FAULTS: Readonly<Record<string, KnownClientFault>> = knownFaults;

type Run = Pick<CertifyReport, 'requirements' | 'scenarios'> & {
  readonly target: Pick<CertifyReport['target'], 'driver'>;
};

/**
 * How many known faults of clients a run could have caught: those that its driver meets, that break a requirement which it
 * decided, and that a scenario which it played to its end is known to show.
 */
export function powerOverClients(
  { requirements, scenarios, target }: Run,
  faults = KNOWN_CLIENT_FAULTS,
): ReportedPower {
  const decided = decidedIds(requirements);
  const played = new Set(
    scenarios.flatMap(({ id, outcome }) => (outcome === 'skipped' || outcome === 'inconclusive' ? [] : [id])),
  );
  const rows = Object.values(faults).map(({ breaks, driver, shownBy }) => ({
    breaks,
    area: 'client',
    isWithinReach:
      (driver === 'any' || driver === target.driver) &&
      decided.has(breaks) &&
      shownBy.some((shower) => (shower === TOGETHER ? played.size >= SCENARIOS.length : played.has(shower))),
  }));
  const byRequirement = CLIENT_REQUIREMENTS.map(({ id }) =>
    reachOf(
      { requirement: id },
      rows.filter(({ breaks }) => breaks === id),
    ),
  );
  return { ...reachByArea(rows), byRequirement: byRequirement.filter(({ known }) => known > 0) };
}
