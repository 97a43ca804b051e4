import { judgeReferenceServer } from '../../cli/library/verify/judge-reference-server.ts';
import { twinAlterations, twinOf } from '../../cli/library/twin/twin.ts';
import { type Alteration, startReferenceServer, type Variant } from '../../reference-server/index.ts';
import { compareReports, type VerifyReport } from '../../reports/index.ts';

// Longer than any stall of a busy machine.
const TRANSPORT = { timeoutMilliseconds: 30_000, insecure: false, certificateAuthority: null };

/** What `compare` shows of a service and its twin. */
export interface RoundTrip {
  readonly variant: string;
  readonly freedom: string;
  /** What the twin was made of. */
  readonly twin: readonly string[];
  /** Observations that no choice brings about, as the twin itself says. */
  readonly unlike: readonly string[];
  /** Names of what differs between the two reports. */
  readonly differences: readonly string[];
}

/**
 * Judges a server of the variant, makes its twin from the report, judges that, and compares. What differs is played once more,
 * and counts if it differs again: a window may have ended in the midst of a run.
 */
export async function roundTrip(variant: Variant, signal: AbortSignal): Promise<RoundTrip> {
  const first = await roundTripOnce(variant, signal);
  return first.differences.length === 0 ? first : roundTripOnce(variant, signal);
}

async function roundTripOnce(variant: Variant, signal: AbortSignal): Promise<RoundTrip> {
  const service = await judge([variant.alter], signal);
  const twin = twinOf(service);
  const { requirements, observations } = compareReports(service, await judge(twinAlterations(twin), signal));
  return {
    variant: variant.id,
    freedom: variant.freedom,
    twin: [...twin.variants.map(({ id }) => id), ...(twin.ban === null ? [] : [JSON.stringify(twin.ban)])],
    unlike: twin.unlike.map(({ name }) => name),
    differences: [
      ...requirements.map(({ row, before, after }) => `${row.id}: ${before ?? 'none'} → ${after ?? 'none'}`),
      ...observations.map(
        ({ name, before, after }) => `${name}: ${JSON.stringify(before)} → ${JSON.stringify(after)}`,
      ),
    ],
  };
}

async function judge(alterations: readonly Alteration[], signal: AbortSignal): Promise<VerifyReport> {
  const server = await startReferenceServer({ alterations, graceMilliseconds: 0 });
  try {
    const { report } = await judgeReferenceServer(server, {
      profile: 'full',
      selection: null,
      transport: TRANSPORT,
      signal,
    });
    return report;
  } finally {
    await server.close();
  }
}
