import ora, { type Ora } from 'ora';

import type { CertifyListener, ClientTask } from '../../suites/certify/index.ts';
import { progressLineOf } from '../shared/output/progress-line.ts';

/** Shows on stderr how far the scenarios are. */
export interface CertifyProgress extends CertifyListener {
  readonly note: (text: string) => void;
  readonly stop: () => void;
}

export interface CertifyProgressOptions {
  readonly total: number;
  readonly quiet: boolean;
  readonly color: boolean;
  /** Whether somebody has to be told where to send what. */
  readonly announces: boolean;
  readonly stream: NodeJS.WriteStream;
}

export function showCertifyProgress(options: CertifyProgressOptions): CertifyProgress {
  const { total, quiet, color, announces, stream } = options;
  const running = new Set<string>();
  let done = 0;
  const spinner: Ora | undefined =
    quiet || !stream.isTTY
      ? undefined
      : ora({ stream, color: color ? 'cyan' : false, discardStdin: false }).start();

  function note(text: string): void {
    if (!quiet || announces) {
      spinner?.clear();
      stream.write(`${text}\n`);
      spinner?.render();
    }
  }

  function refresh(): void {
    if (spinner !== undefined) {
      const names = [...running].slice(0, 3).join(', ');
      const more = running.size > 3 ? ` and ${running.size - 3} more` : '';
      spinner.text = progressLineOf(`${done} of ${total} scenarios done · `, names, more, stream);
    }
  }

  return {
    note,
    onScenarioStart: (scenario, { baseUrl, apiKey }) => {
      running.add(scenario.id);
      if (announces) {
        note(`${scenario.id}: ${scenario.title}`);
        note(`  ${requestLine(scenario.task, baseUrl)}`);
        note(`  Authorization: Bearer ${apiKey}`);
      }
      refresh();
    },
    onScenarioEnd: ({ scenario, durationSeconds, judgement }) => {
      running.delete(scenario.id);
      done += 1;
      if (spinner === undefined && !quiet) {
        note(`done: ${scenario.id} (${durationSeconds.toFixed(1)} s, ${judgement.outcome})`);
      }
      refresh();
    },
    stop: () => {
      spinner?.stop();
    },
  };
}

function requestLine(task: ClientTask, baseUrl: string): string {
  return task.operation === 'listInventory'
    ? `GET ${baseUrl}/inventory`
    : `PATCH ${baseUrl}/inventory/${task.petId} with {"quantity":${task.quantity}}`;
}
