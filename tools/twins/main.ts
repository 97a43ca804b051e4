import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

import { matchingVariants } from '../../cli/library/catalogue.ts';
import { KNOWN_VARIANTS } from '../../cli/library/twin/twin.ts';
import { sideBySide } from '../../suites/certify/index.ts';
import { roundTrip, type RoundTrip } from './round-trip.ts';

/** Most of a run against a server waits for its connections. */
const JOBS = 3;
const FEWEST_ALIKE = 0.95;

process.exitCode = await compareTwins();

/**
 * Makes the twin of each variant that an observation tells from the reference, and compares the two.
 * @returns the exit code: 1 if fewer than 95 % are alike
 */
async function compareTwins(): Promise<number> {
  const { values } = parseArgs({
    options: { variant: { type: 'string', default: '*' }, json: { type: 'string' } },
  });
  const told = matchingVariants('--variant', [values.variant]).filter(
    ({ id }) => Object.keys(KNOWN_VARIANTS.variants[id] ?? {}).length > 0,
  );
  const trips: RoundTrip[] = [];
  await sideBySide(told, JOBS, new AbortController().signal, async (variant) => {
    const trip = await roundTrip(variant, new AbortController().signal);
    trips.push(trip);
    const sign = trip.differences.length === 0 ? '✓' : '✗';
    process.stdout.write(`${sign} ${trip.variant} as ${trip.twin.join(' + ') || 'the reference'}\n`);
    process.stdout.write(trip.differences.map((difference) => `    ${difference}\n`).join(''));
  });
  const alike = trips.filter(({ differences }) => differences.length === 0).length;
  process.stdout.write(`${alike} of ${trips.length} twins alike\n`);
  if (values.json !== undefined) {
    writeFileSync(values.json, `${JSON.stringify(trips, null, 2)}\n`);
  }
  return alike >= trips.length * FEWEST_ALIKE ? 0 : 1;
}
