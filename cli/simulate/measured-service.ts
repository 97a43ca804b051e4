import { ConfigurationError } from '../../contract/configuration-error.ts';
import type { LoadMeasurement } from '../../contract/load-result.ts';
import type { LoadReport, Report } from '../../reports/index.ts';

/** What a report of load says of a service. */
export type MeasuredService = NonNullable<ReturnType<typeof serviceIn>>;

const MOSTLY = 0.9;

/**
 * @param named what messages call the report
 * @throws {ConfigurationError} if it measured nothing
 */
export function measuredServiceOf(report: Report, named: string): MeasuredService {
  if (report.kind !== 'load') {
    throw new ConfigurationError(
      `${named}: this is a report of ${report.kind}, which says nothing of the capacity; take one of load`,
    );
  }
  const service = serviceIn(report);
  if (service === null) {
    throw new ConfigurationError(
      `${named}: nothing was answered in that run, so it says nothing of the capacity`,
    );
  }
  return service;
}

/** What the report says; `null` if nothing was accepted. */
function serviceIn({ scenarios }: Pick<LoadReport, 'scenarios'>) {
  const all = scenarios.flatMap(({ id, measurements }) =>
    measurements.map((measurement) => ({ id, ...measurement })),
  );
  const accepted = all.filter(
    (measurement) => shareOf(measurement, (status) => status.startsWith('2')) > MOSTLY,
  );
  const turnedAway = all.find((measurement) => shareOf(measurement, (status) => status === '429') > MOSTLY);
  const searched = scenarios.find(({ capacity }) => capacity !== null);
  const [quickest] = accepted.toSorted((one, other) => other.goodput - one.goodput);
  const [calmest] = accepted
    .filter(({ serviceTime }) => serviceTime.p50 !== null)
    .toSorted((one, other) => (one.serviceTime.p50 ?? 0) - (other.serviceTime.p50 ?? 0));
  const capacity = searched?.capacity ?? quickest?.goodput ?? null;
  if (capacity === null || capacity <= 0) {
    return null;
  }
  const milliseconds = calmest?.serviceTime.p50 ?? null;
  const refusal = turnedAway?.serviceTime.p50 ?? null;
  const refusalShare = milliseconds === null || refusal === null ? null : Math.min(1, refusal / milliseconds);
  return {
    /** Accepted requests a second. */
    capacity,
    /** `null` if nothing was measured without a queue. */
    serviceSeconds: milliseconds === null ? null : milliseconds / 1_000,
    /** What a refusal costs, as a share of an accepted request; `null` if no load was refused. */
    refusalShare,
    /** Where each figure comes from, in sentences. */
    sources: [
      searched === undefined
        ? `The capacity is the highest rate that ${quickest?.id ?? ''} achieved; the service may be able to do more.`
        : `The capacity was searched for by ${searched.id}.`,
      ...(milliseconds === null ? [] : [`The service time is the median of ${calmest?.id ?? ''}.`]),
      ...(refusalShare === null
        ? []
        : [`The cost of a refusal is the median of ${turnedAway?.id ?? ''}, by comparison.`]),
    ],
  };
}

function shareOf({ statuses, answered }: LoadMeasurement, isCounted: (status: string) => boolean): number {
  const counted = Object.entries(statuses).reduce(
    (sum, [status, count]) => sum + (isCounted(status) ? count : 0),
    0,
  );
  return answered === 0 ? 0 : counted / answered;
}
