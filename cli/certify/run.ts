import { type ArtifactDescriptor, countText } from '../../reports/index.ts';
import { attestClient, historyOfClient } from '../library/certificate/attest.ts';
import { filesOfClient } from '../library/certificate/client-files.ts';
import { withoutSigningKey } from '../shared/options/certificate-options.ts';
import { writeHistory } from '../shared/output/write-history.ts';
import { noteWithoutCertificate, writeCertificate } from '../shared/output/write-certificate.ts';
import { withScenarioEvents } from './events.ts';
import type { CertifyOptions } from './options.ts';
import { showCertifyProgress } from './progress.ts';
import { clientBaselineOf } from '../library/certify/baseline.ts';
import { certifyFreedoms, type FreedomsListener } from '../library/certify/freedoms.ts';
import { judgeClient } from '../library/certify/judge-client.ts';
import { readExpectedFailures } from '../verify/baseline.ts';
import { runInterruptibly } from '../shared/interruption.ts';
import type { Progress } from '../shared/output/progress.ts';
import { openEventLog } from '../shared/output/events.ts';
import { finishRun } from '../shared/output/finish-run.ts';
import type { Repetition } from '../library/repetition.ts';

/** Runs a client through the scenarios, and returns the exit code. */
export async function runCertify(options: CertifyOptions, repetition: Repetition): Promise<number> {
  const { driver, scenarios, quiet } = options;
  const baseline =
    options.baseline === null
      ? new Map<string, string>()
      : clientBaselineOf(readExpectedFailures(options.baseline), `--baseline ${options.baseline}`);
  const isManual = driver === 'none';
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
    const events = openEventLog(options.events);
    try {
      progress.note(announcement(options));
      events.emit({ event: 'run-start', command: 'certify' });
      const order = {
        ...options,
        requirementSet: options.requirements,
        baseline,
        environment: withoutSigningKey(process.env),
        repetition,
        signal,
        finish: finish.signal,
        listener: withScenarioEvents(progress, events),
      };
      const { report: judged, interrupted, records, leftOut } = await judgeClient(order);
      const report =
        options.freedoms && !interrupted
          ? { ...judged, freedoms: await certifyFreedoms(order, judged, freedomsProgress(progress)) }
          : judged;
      progress.stop();
      const isCutShort = interrupted || signal.aborted;
      const exitCode = await finishRun(report, options, { interrupted: isCutShort, events });
      const run = {
        records,
        interrupted,
        leftOut: leftOut.map(({ id }) => id),
        baseline: [...baseline.keys()],
        like: options.like?.path ?? null,
      };
      if (options.history !== null) {
        await writeHistory(options.history, await historyOfClient(report, run), options);
      }
      if (isCutShort) {
        noteWithoutCertificate(options.certificate);
      } else if (options.certificate !== null) {
        const artifacts = artifactsOf(options);
        const signed = await attestClient(report, run, { ...options.certificate, artifacts });
        await writeCertificate(options.certificate, signed, options);
      }
      return exitCode;
    } finally {
      progress.stop();
      events.close();
    }
  });
}

function artifactsOf({ command }: CertifyOptions): readonly ArtifactDescriptor[] {
  return filesOfClient(command, { directory: process.cwd(), path: process.env['PATH'] ?? '' });
}

/** Says how often the client runs again, and how far that is. */
function freedomsProgress({ note, show }: Pick<Progress, 'note' | 'show'>): FreedomsListener {
  let total = 0;
  let done = 0;
  note('Looking which scenarios each choice that services may make would change');
  return {
    onPlan: (runs) => {
      total = runs;
      note(`Playing ${countText(runs, 'scenario')} with another choice each`);
    },
    onRun: () => {
      done += 1;
      show(`${done} of ${total} scenarios with another choice done`);
    },
  };
}

function announcement({ driver, scenarios, jobs }: CertifyOptions): string {
  return driver === 'none'
    ? `Send each of these ${scenarios.length} requests with your client, in any order; Ctrl-C ends and judges.`
    : `Running ${countText(scenarios.length, 'scenario')}, ${jobs} side by side`;
}
