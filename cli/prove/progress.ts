import ora, { type Ora } from 'ora';

import { progressLine } from '../shared/output/progress-line.ts';
import { isWrong, trialName, type TrialResult } from '../../reports/index.ts';

/** Shows on stderr how far the trials are. */
export interface ProveProgress {
  readonly onResult: (result: TrialResult) => void;
  readonly note: (text: string) => void;
  readonly stop: () => void;
}

const PLAIN_LINE_EVERY_MILLISECONDS = 10_000;

export function showProveProgress(
  total: number,
  { quiet, color, stream }: { quiet: boolean; color: boolean; stream: NodeJS.WriteStream },
): ProveProgress {
  let done = 0;
  let wrong = 0;
  let lastLine = performance.now();
  const spinner: Ora | undefined =
    quiet || !stream.isTTY
      ? undefined
      : ora({ stream, color: color ? 'cyan' : false, discardStdin: false }).start();
  const text = (): string => `${done} of ${total} servers judged, ${wrong} wrongly`;

  function note(line: string): void {
    if (!quiet) {
      spinner?.clear();
      stream.write(`${line}\n`);
      spinner?.render();
    }
  }

  return {
    note,
    onResult: (result) => {
      done += 1;
      wrong += Number(isWrong(result));
      if (isWrong(result)) {
        note(`wrong: ${trialName(result)} (${result.outcome})`);
      }
      if (spinner !== undefined) {
        spinner.text = progressLine(text(), stream);
      } else if (performance.now() - lastLine > PLAIN_LINE_EVERY_MILLISECONDS) {
        lastLine = performance.now();
        note(text());
      }
    },
    stop: () => {
      spinner?.stop();
    },
  };
}
