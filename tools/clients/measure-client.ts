import { certifyFreedoms } from '../../cli/library/certify/freedoms.ts';
import { clientPace, judgeClient } from '../../cli/library/certify/judge-client.ts';
import { selectScenarios } from '../../cli/library/certify/select-scenarios.ts';
import type { MEASURED_CLIENTS } from '../../fixtures/clients/index.ts';
import type { CertifyReport } from '../../reports/index.ts';

/** What was measured of one client; a part that was not measured is absent. */
export interface MeasuredConduct {
  readonly id: string;
  readonly title: string;
  readonly failed: readonly string[];
  readonly herd?: NonNullable<CertifyReport['herd']>;
  readonly freedoms?: NonNullable<CertifyReport['freedoms']>;
}

/** What to measure. */
export interface ConductPlan {
  /** Patterns of the scenarios that are played; the herd comes after them. */
  readonly only: string;
  /** Clients that are started together, or `null` for none. */
  readonly herd: number | null;
  readonly freedoms: boolean;
}

/** Plays scenarios with one client, has it come back in a crowd, and looks which freedoms it relies on. */
export async function measureClient(
  { id, title, driver, command }: (typeof MEASURED_CLIENTS)[number],
  plan: ConductPlan,
): Promise<MeasuredConduct> {
  const scenarios = selectScenarios([plan.only], '--only');
  const never = new AbortController().signal;
  const order = {
    command,
    driver,
    environment: process.env,
    scenarios,
    level: 'must' as const,
    host: '127.0.0.1',
    herd: plan.herd,
    ...clientPace(driver, scenarios, { jobs: null, patienceSeconds: null }),
    signal: never,
    finish: never,
    listener: {},
  };
  const { report } = await judgeClient(order);
  return {
    id,
    title,
    failed: report.scenarios.filter(({ outcome }) => outcome === 'fail').map((scenario) => scenario.id),
    ...(report.herd === undefined ? {} : { herd: report.herd }),
    ...(plan.freedoms ? { freedoms: await certifyFreedoms(order, report) } : {}),
  };
}
