import { printableLine } from '../../reports/index.ts';
import { requestOfTask, type CertifyListener } from '../../suites/certify/index.ts';
import { MESSAGE_LIMIT, namesOf, openProgress, type Progress } from '../shared/output/progress.ts';

/**
 * Shows how far the scenarios are.
 * @param announces whether somebody has to be told what to send where, even with `--quiet`
 */
export function showCertifyProgress({
  total,
  quiet,
  announces,
}: {
  readonly total: number;
  readonly quiet: boolean;
  readonly announces: boolean;
}): Progress & CertifyListener {
  const progress = openProgress({ quiet });
  const running = new Set<string>();
  let done = 0;

  const note = (text: string): void => {
    if (quiet && announces) {
      process.stderr.write(`${text}\n`);
    } else {
      progress.note(text);
    }
  };
  const refresh = (): void => {
    progress.show(`${done} of ${total} scenarios done · `, ...namesOf(running));
  };

  return {
    ...progress,
    note,
    onScenarioStart: (scenario, { baseUrl, apiKey }) => {
      running.add(scenario.id);
      if (announces) {
        note(`${scenario.id}: ${scenario.title}`);
        const { method, path, content } = requestOfTask(scenario.task);
        note(`  ${method} ${baseUrl}${path}${content === null ? '' : ` with ${content}`}`);
        note(`  Authorization: Bearer ${apiKey}`);
      }
      refresh();
    },
    onHerd: (clients) => progress.note(`Starting ${clients} clients at once, and refusing them together`),
    onScenarioEnd: ({ scenario, durationSeconds, judgement }) => {
      running.delete(scenario.id);
      done += 1;
      const [first] = judgement.failures;
      if (first !== undefined) {
        progress.note(`✗ ${scenario.id}: ${printableLine(first, MESSAGE_LIMIT)}`);
      }
      if (!progress.isInteractive) {
        progress.note(`done: ${scenario.id} (${durationSeconds.toFixed(1)} s, ${judgement.outcome})`);
      }
      refresh();
    },
  };
}
