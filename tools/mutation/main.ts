import { rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

import { EXIT_INTERRUPTED } from '../../cli/shared/exit-codes.ts';
import { runInterruptibly } from '../../cli/shared/interruption.ts';
import { openProgress } from '../../cli/shared/output/progress.ts';
import { KILLED } from './judge-mutant.ts';
import { judgeMutants } from './judge-mutants.ts';
import { buildMutants } from './instrument.ts';
import { readMutationOptions, selectMutants, type MutationOptions } from './options.ts';
import { reasonAbout } from './reason.ts';
import { listMutants, summariseMutants } from './summary.ts';
import { SURVIVORS } from './survivors.ts';

const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url));
const PLAIN_LINE_EVERY_SECONDS = 30;

process.exitCode = await mutate(readMutationOptions(process.argv.slice(2)));

/** @returns the exit code: 1 if a mutant survives without a reason, or a reason is stale */
async function mutate(options: MutationOptions): Promise<number> {
  const build = await buildMutants(REPOSITORY);
  try {
    const chosen = selectMutants(build.mutants, options, SURVIVORS);
    if (typeof chosen === 'string') {
      process.stderr.write(`mutation: ${chosen}\n`);
      return 2;
    }
    if (options.list) {
      process.stdout.write(listMutants(chosen));
      return 0;
    }
    const progress = openProgress({ quiet: false, plainLineEverySeconds: PLAIN_LINE_EVERY_SECONDS });
    let done = 0;
    let killed = 0;
    const onInterruption = (): void => progress.note('Interrupted: stopping the servers.');
    return await runInterruptibly({ onInterruption }, async (signal) => {
      const judged = await judgeMutants(build, chosen, { jobs: options.jobs, signal }, (result) => {
        done += 1;
        killed += KILLED.has(result.fate) ? 1 : 0;
        progress.show(`${done} of ${chosen.length} mutants judged, ${killed} killed`);
      }).finally(progress.stop);
      const reasoning = reasonAbout(judged, build.mutants, SURVIVORS);
      if (options.json !== null) {
        writeFileSync(options.json, `${JSON.stringify(reasoning, null, 2)}\n`);
      }
      process.stdout.write(summariseMutants(reasoning));
      if (signal.aborted) {
        return EXIT_INTERRUPTED;
      }
      return reasoning.unexplained.length + reasoning.stale.length === 0 ? 0 : 1;
    });
  } finally {
    rmSync(build.folder, { recursive: true, force: true });
  }
}
