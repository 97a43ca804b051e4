import { writeFile } from 'node:fs/promises';

import { announcedRequests, parametersLine, runLoad, type ConnectedFleet } from '../../load/index.ts';
import { renderOpenMetrics, renderVerdict } from '../../reports/index.ts';
import { createRedactor, type TargetConfig } from '../../suites/target/index.ts';
import { wantsColor } from '../shared/output/color.ts';
import { startEmbeddedServer } from '../shared/embedded/embedded-server.ts';
import { EXIT_INTERRUPTED, EXIT_UNWRITABLE } from '../shared/exit-codes.ts';
import { listenForInterruption } from '../shared/interruption.ts';
import { joinFleet } from './fleet.ts';
import { describeLoadEnvironment } from './environment.ts';
import { readLoadBaseline } from './baseline.ts';
import { showLoadProgress } from './progress.ts';
import { both, openLivePage, type LivePage } from './live-page.ts';
import { buildLoadReport } from './report.ts';
import type { LoadOptions } from './load-options.ts';
import { STDOUT, textOutput, warn } from '../shared/output/text-output.ts';
import { redactReport } from '../shared/output/redacted-report.ts';
import { transportOf } from '../shared/transport.ts';
import { packageVersion } from '../shared/version.ts';
import { writeReports } from '../shared/output/write-reports.ts';

const EXIT_CODES = { conformant: 0, nonconformant: 1, inconclusive: 3 } as const;

/** Loads a target, or the embedded reference server, and returns the exit code. */
export async function runLoadCommand(options: LoadOptions): Promise<number> {
  const text = textOutput(options, options.json, options.openMetrics);
  const baseline = options.baseline === null ? null : readLoadBaseline(options.baseline);
  if (options.dryRun) {
    text.write(`${describePlan(options, options.config?.target ?? 'the embedded reference server')}\n`);
    return 0;
  }
  const progress = showLoadProgress({
    quiet: options.quiet,
    color: wantsColor(process.stderr, process.env),
    stream: process.stderr,
    scenarios: options.scenarios.map(({ scenario }) => scenario.id),
  });
  warn(options.warnings);
  const interruption = listenForInterruption(() =>
    progress.note(
      'Interrupted: keeping what was measured, putting back what was changed. Press Ctrl-C again to leave at once.',
    ),
  );
  const embedded = options.config === null ? await startEmbeddedServer(options.profile) : null;
  let live: LivePage | null = null;
  let fleet: ConnectedFleet | null = null;
  try {
    const config = options.config ?? embedded?.config;
    if (config === undefined) {
      throw new Error('There is neither a target nor an embedded server.');
    }
    const loaded = embedded === null ? config.target : 'the embedded reference server';
    progress.note(describePlan(options, loaded));
    if (options.livePort !== null) {
      live = await openLivePage(options.livePort, loaded);
      progress.note(`Live at ${live.url}`);
    }
    fleet = await joinFleet(options, interruption.signal);
    if (fleet !== null) {
      progress.note(`Fleet of ${fleet.size} of ${fleet.workers.length} workers: ${fleet.workers.join(', ')}`);
    }
    const redactor = createRedactor();
    const result = await runLoad({
      config,
      scenarios: options.scenarios,
      transport: transportOf(options),
      headers: options.headers,
      signal: interruption.signal,
      listener: live === null ? progress : both(progress, live.listener),
      fleet,
      redactor,
    });
    progress.stop();
    const built = buildLoadReport(result, {
      options,
      config,
      embedded: embedded !== null,
      baseline,
      version: packageVersion(),
      environment: describeLoadEnvironment(process.argv.slice(2)),
    });
    const report = redactReport(built, redactor.redact);
    const { paths, problem } = await writeReports(report, options);
    const metricsProblem = await writeOpenMetrics(options.openMetrics, renderOpenMetrics(report));
    text.write(renderVerdict(report, { color: text.color, reportPaths: paths }));
    const unwritten = problem ?? metricsProblem;
    if (unwritten !== null) {
      process.stderr.write(`stockcheck: ${unwritten}\n`);
      return EXIT_UNWRITABLE;
    }
    return result.interrupted ? EXIT_INTERRUPTED : EXIT_CODES[report.verdict];
  } catch (error) {
    if (interruption.signal.aborted) {
      return EXIT_INTERRUPTED;
    }
    throw error;
  } finally {
    progress.stop();
    await fleet?.close();
    await live?.close();
    await embedded?.close();
    interruption.release();
  }
}

async function writeOpenMetrics(path: string | null, text: string): Promise<string | null> {
  if (path === STDOUT) {
    process.stdout.write(text);
    return null;
  }
  try {
    await (path === null ? undefined : writeFile(path, text));
    return null;
  } catch (error) {
    return `--openmetrics ${path} could not be written: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** Rates and budget of a run, before it starts. */
function describePlan({ scenarios }: LoadOptions, target: TargetConfig['target']): string {
  return [
    `Load on ${target}: at most ${announcedRequests(scenarios)} requests in ${scenarios.length} ${scenarios.length === 1 ? 'scenario' : 'scenarios'}`,
    ...scenarios.map(({ scenario, parameters, thresholds }) => {
      const given = parametersLine(scenario, parameters);
      const judged = thresholds.map(({ expression }) => expression).join(', ');
      return `  ${scenario.id}: ${given}${judged === '' ? '' : `; ${judged}`}; at most ${scenario.announce(parameters)} requests${scenario.mayBan === true ? ', a ban risked on keys issued or given for it' : ''}`;
    }),
  ].join('\n');
}
