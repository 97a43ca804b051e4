import { countText, renderVerdict } from '../../reports/index.ts';
import { certifyClient, CLIENT_KEY_LABEL } from '../../suites/certify/index.ts';
import { redactorOf } from '../../suites/target/index.ts';
import { createDriver, STARTS } from './client-driver.ts';
import { startCounterparty } from './counterparty.ts';
import { showCertifyProgress } from './progress.ts';
import { buildCertifyReport } from './report.ts';
import type { Repetition } from '../shared/output/repeat-line.ts';
import { wantsColor } from '../shared/output/color.ts';
import { EXIT_INTERRUPTED, EXIT_UNWRITABLE } from '../shared/exit-codes.ts';
import { ENDING_SIGNALS } from '../shared/interruption.ts';
import type { CertifyOptions } from './options.ts';
import { textOutput } from '../shared/output/text-output.ts';
import { redactReport } from '../shared/output/redacted-report.ts';
import { writeReports } from '../shared/output/write-reports.ts';

const EXIT_CODES = { certified: 0, 'not-certified': 1, inconclusive: 3 } as const;

/** Runs a client through the scenarios, and returns the exit code. */
export async function runCertify(options: CertifyOptions, repetition: Repetition): Promise<number> {
  const { driver: name, scenarios, host } = options;
  const isManual = name === 'none';
  const progress = showCertifyProgress({
    total: scenarios.length,
    quiet: options.quiet,
    color: wantsColor(process.stderr, process.env),
    announces: isManual,
    stream: process.stderr,
  });
  const interruption = new AbortController();
  const finish = new AbortController();
  const onSignal = (): void => {
    if (interruption.signal.aborted) {
      process.exit(EXIT_INTERRUPTED);
    }
    if (isManual && !finish.signal.aborted) {
      progress.note('Finished: judging what was sent. Press Ctrl-C again to leave without a verdict.');
      finish.abort();
      return;
    }
    progress.note('Interrupted: ending the client. Press Ctrl-C again to leave at once.');
    interruption.abort(new Error('The run was interrupted.'));
  };
  ENDING_SIGNALS.forEach((name) => process.on(name, onSignal));
  const driver = createDriver(name, options.command);
  try {
    progress.note(announcement(options));
    const result = await certifyClient({
      scenarios,
      driver,
      start: (scenario) => startCounterparty(scenario, host),
      jobs: options.jobs,
      patienceSeconds: options.patienceSeconds,
      starts: STARTS[name],
      signal: interruption.signal,
      finish: finish.signal,
      listener: progress,
    });
    progress.stop();
    const { redact } = redactorOf(result.records.map(({ apiKey }) => [apiKey, CLIENT_KEY_LABEL]));
    const report = redactReport(buildCertifyReport(result, { ...options, repetition }), redact);
    const { paths, problem } = await writeReports(report, options);
    const text = textOutput(options, options.json);
    text.write(renderVerdict(report, { color: text.color, reportPaths: paths }));
    if (problem !== null) {
      process.stderr.write(`stockcheck: ${problem}\n`);
      return EXIT_UNWRITABLE;
    }
    return result.interrupted ? EXIT_INTERRUPTED : EXIT_CODES[report.verdict];
  } finally {
    progress.stop();
    await driver.close();
    ENDING_SIGNALS.forEach((name) => process.off(name, onSignal));
  }
}

function announcement({ driver, scenarios, jobs }: CertifyOptions): string {
  return driver === 'none'
    ? `Send each of these ${scenarios.length} requests with your client, in any order; Ctrl-C ends and judges.`
    : `Running ${countText(scenarios.length, 'scenario')}, ${jobs} side by side`;
}
