import { isWrong, trialName, type TrialResult } from '../../reports/index.ts';
import { openProgress, type Progress } from '../shared/output/progress.ts';

const PLAIN_LINE_EVERY_SECONDS = 10;

/** Shows how many of the servers are judged. */
export function showProveProgress(
  total: number,
  quiet: boolean,
): Progress & { readonly onResult: (result: TrialResult) => void } {
  const progress = openProgress({ quiet, plainLineEverySeconds: PLAIN_LINE_EVERY_SECONDS });
  let done = 0;
  let wrong = 0;
  return {
    ...progress,
    onResult: (result) => {
      done += 1;
      if (isWrong(result)) {
        wrong += 1;
        progress.note(`wrong: ${trialName(result)} (${result.outcome})`);
      }
      progress.show(`${done} of ${total} servers judged, ${wrong} wrongly`);
    },
  };
}
