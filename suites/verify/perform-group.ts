import type { KeyLeases } from '../target/index.ts';
import type { Check } from '../stimuli/index.ts';

/** Performs checks that have to be alone one after the other, and then the others side by side. @returns results as they come */
export async function performGroup<Result>(
  checks: readonly Check[],
  leases: Pick<KeyLeases, 'sharingIsOver'>,
  perform: (check: Check) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  let sharing = checks.filter(onlyShares).length;
  if (sharing === 0) {
    leases.sharingIsOver();
  }
  const performOne = async (check: Check): Promise<void> => {
    results.push(await perform(check));
    if (onlyShares(check)) {
      sharing -= 1;
      if (sharing === 0) {
        leases.sharingIsOver();
      }
    }
  };
  for (const check of checks.filter(({ needs }) => needs.alone === true)) {
    await performOne(check);
  }
  const settled = await Promise.allSettled(
    checks.filter(({ needs }) => needs.alone !== true).map(performOne),
  );
  // What one throws ends the run once no other sends any more, so that all they changed can be put back.
  const failed = settled.find((one) => one.status === 'rejected');
  if (failed !== undefined) {
    throw failed.reason;
  }
  return results;
}

function onlyShares({ needs }: Check): boolean {
  return needs.keys.every(({ use }) => use === 'share');
}
