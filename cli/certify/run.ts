import { countText } from '../../reports/index.ts';
import { certifyClient, CLIENT_KEY_LABEL } from '../../suites/certify/index.ts';
import { redactorOf } from '../../suites/target/index.ts';
import { createDriver, STARTS } from './client-driver.ts';
import { startCounterparty } from './counterparty.ts';
import type { CertifyOptions } from './options.ts';
import { showCertifyProgress } from './progress.ts';
import { buildCertifyReport } from './report.ts';
import { runInterruptibly } from '../shared/interruption.ts';
import { finishRun } from '../shared/output/finish-run.ts';
import type { Repetition } from '../shared/output/repeat-line.ts';

/** Runs a client through the scenarios, and returns the exit code. */
export async function runCertify(options: CertifyOptions, repetition: Repetition): Promise<number> {
  const { driver: name, scenarios, host, quiet, jobs, patienceSeconds } = options;
  const isManual = name === 'none';
  const progress = showCertifyProgress({ total: scenarios.length, quiet, announces: isManual });
  const finish = new AbortController();
  const beforeInterruption = (): void => {
    progress.note('Finished: judging what was sent. Press Ctrl-C again to leave without a verdict.');
    finish.abort();
  };
  const onInterruption = (): void =>
    progress.note('Interrupted: ending the client. Press Ctrl-C again to leave at once.');
  const steps = { onInterruption, ...(isManual ? { beforeInterruption } : {}) };
  return runInterruptibly(steps, async (signal) => {
    const driver = createDriver(name, options.command);
    try {
      progress.note(announcement(options));
      const result = await certifyClient({
        scenarios,
        driver,
        start: (scenario) => startCounterparty(scenario, host),
        jobs,
        patienceSeconds,
        starts: STARTS[name],
        signal,
        finish: finish.signal,
        listener: progress,
      });
      progress.stop();
      const { redact } = redactorOf(result.records.map(({ apiKey }) => [apiKey, CLIENT_KEY_LABEL]));
      const report = buildCertifyReport(result, { ...options, repetition });
      return await finishRun(report, options, { redact, interrupted: result.interrupted });
    } finally {
      progress.stop();
      await driver.close();
    }
  });
}

function announcement({ driver, scenarios, jobs }: CertifyOptions): string {
  return driver === 'none'
    ? `Send each of these ${scenarios.length} requests with your client, in any order; Ctrl-C ends and judges.`
    : `Running ${countText(scenarios.length, 'scenario')}, ${jobs} side by side`;
}
