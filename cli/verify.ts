import { join } from 'node:path';
import type { Report } from '../reports/report.ts';
import { renderVerdict } from '../reports/terminal.ts';
import { writeReportDirectory, writeReportFile } from '../reports/write.ts';
import { ControlError } from '../suites/control-client.ts';
import { runSuite, type RunResult } from '../suites/run.ts';
import { readSelection } from '../suites/selection.ts';
import type { TargetConfig } from '../suites/target-config.ts';
import { readBaseline } from './baseline.ts';
import { wantsColor } from './color.ts';
import { startEmbeddedTarget } from './embedded-target.ts';
import type { VerifyOptions } from './options/verify-options.ts';
import { describeBudget, showProgress, type Progress } from './progress.ts';
import { buildReport } from './verify-report.ts';
import { packageVersion } from './version.ts';

const EXIT_CODES = { conformant: 0, nonconformant: 1, inconclusive: 3 } as const;
/** As a shell reports a program that SIGINT ended. */
const INTERRUPTED = 130;
/** A report that can't be written is a mistake in the options. */
const UNWRITABLE = 2;

/** Judges a target, or the embedded reference server, and returns the exit code. */
export async function runVerify(options: VerifyOptions): Promise<number> {
  const selection = readSelection(options.only, '--only');
  const baseline = options.baseline === null ? new Map() : readBaseline(options.baseline);
  const progress = showProgress({
    quiet: options.quiet,
    color: wantsColor(process.stderr, process.env),
    stream: process.stderr,
  });
  for (const warning of options.warnings) {
    progress.note(`warning: ${warning}`);
  }
  const interruption = new AbortController();
  const onSignal = (): void => {
    if (interruption.signal.aborted) {
      process.exit(INTERRUPTED);
    }
    progress.note('Interrupted: putting back what was changed. Press Ctrl-C again to leave at once.');
    interruption.abort(new Error('The run was interrupted.'));
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  const embedded = options.config === null ? await startEmbeddedTarget(options.profile) : null;
  const config = options.config ?? embedded?.config;
  try {
    if (config === undefined) {
      throw new Error('There is neither a target nor an embedded server.');
    }
    if (embedded !== null) {
      progress.note('No target was given: judging the embedded reference server.');
    }
    const result = await runSuite({
      config,
      ...(selection === null
        ? {}
        : {
            selects: (subject) => ('check' in subject ? selection.check(subject.check) : false),
          }),
      long: options.long,
      banWaitSeconds: options.banWaitSeconds,
      transport: {
        timeoutMilliseconds: options.timeoutSeconds * 1000,
        insecure: options.tls.insecure,
        certificateAuthority: options.tls.ca,
      },
      headers: options.headers,
      dryRun: options.dryRun,
      signal: interruption.signal,
      listener: progress,
    });
    progress.stop();
    if (options.dryRun) {
      process.stdout.write(`${describeDryRun(result, config)}\n`);
      return 0;
    }
    const report = buildReport(result, {
      config,
      level: options.level,
      selection,
      baseline,
      version: packageVersion(),
    });
    const written = await writeReports(report, options);
    const reportPaths = Array.isArray(written) ? written : [];
    process.stdout.write(renderVerdict(report, { color: options.color, reportPaths }));
    if (written instanceof Error) {
      process.stderr.write(`stockcheck: ${written.message}\n`);
      return UNWRITABLE;
    }
    return result.interrupted ? INTERRUPTED : EXIT_CODES[report.verdict];
  } catch (error) {
    return explain(error, progress, interruption.signal);
  } finally {
    progress.stop();
    await embedded?.close();
    process.off('SIGINT', onSignal);
    process.off('SIGTERM', onSignal);
  }
}

function explain(error: unknown, progress: Progress, signal: AbortSignal): number {
  if (signal.aborted) {
    return INTERRUPTED;
  }
  if (error instanceof ControlError) {
    progress.stop();
    process.stderr.write(
      `stockcheck: ${error.message} Check "control" in the configuration, or leave it out.\n`,
    );
    return EXIT_CODES.inconclusive;
  }
  throw error;
}

/** Writes what was asked for. The verdict is worth telling even where a file can't be written, so that is returned. */
async function writeReports(report: Report, options: VerifyOptions): Promise<string[] | Error> {
  try {
    return await writeAll(report, options);
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}

async function writeAll(report: Report, options: VerifyOptions): Promise<string[]> {
  const paths: string[] = [];
  if (options.json !== null) {
    await writeReportFile(options.json, report);
    paths.push(options.json);
  }
  if (options.report !== null) {
    const written = await writeReportDirectory(options.report, report);
    paths.push(written.find((path) => path.endsWith('.html')) ?? join(options.report, 'report.html'));
  }
  return paths;
}

function describeDryRun({ plan }: RunResult, config: TargetConfig): string {
  return [
    `Dry run of profile ${config.profile} against ${config.target}; nothing was sent to it.`,
    ...describeBudget(plan),
    `Checks: ${plan.checks.map(({ id }) => id).join(', ')}`,
    ...plan.skipped.map(({ check, reason }) => `Left out: ${check.id}. ${reason}`),
  ].join('\n');
}
