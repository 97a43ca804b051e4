import { countText, printableLine } from '../../reports/index.ts';
import {
  EXPLORATION_LINE,
  type RunListener,
  type RunPlan,
  type SeenFailure,
} from '../../suites/verify/index.ts';
import { MESSAGE_LIMIT, namesOf, openProgress, type Progress } from '../shared/output/progress.ts';

/** What is said when a run is interrupted. */
export const INTERRUPTION =
  'Interrupted: putting back what was changed. Press Ctrl-C again to leave at once.';

const REFRESH_MILLISECONDS = 250;
const SHORTEST_WAIT_TOLD_SECONDS = 3;

/** Shows which checks run, and what they wait for. */
export function showVerifyProgress(quiet: boolean): Progress & RunListener {
  const progress = openProgress({ quiet });
  const running = new Set<string>();
  let plan: RunPlan | undefined;
  let done = 0;
  let timer: NodeJS.Timeout | undefined;
  let lastWait = '';

  const refresh = (): void => {
    const [wait] = (plan?.waits() ?? []).toSorted((a, b) => a.secondsLeft - b.secondsLeft);
    const total = plan?.checks.length ?? 0;
    const seconds = wait?.secondsLeft ?? 0;
    const until = `until ${clockTime(seconds)} (${Math.ceil(seconds)} s)`;
    if (progress.isInteractive) {
      const names = namesOf(running).join('');
      const pause = wait !== undefined && seconds > 1 ? ` · ${wait.why}, ${until}` : '';
      progress.show(`${done} of ${total} checks done`, ` · ${names}`, pause);
    } else if (wait !== undefined && seconds > SHORTEST_WAIT_TOLD_SECONDS && wait.why !== lastWait) {
      lastWait = wait.why;
      progress.note(`waiting ${until}: ${wait.why}; ${done} of ${total} checks done`);
    }
  };

  return {
    ...progress,
    stop: () => {
      clearInterval(timer);
      progress.stop();
    },
    onNotice: progress.note,
    onFailure: (failure) => progress.note(failureLine(failure)),
    onPlan: (planned) => {
      plan = planned;
      describeBudget(planned).forEach(progress.note);
      timer = setInterval(refresh, REFRESH_MILLISECONDS);
      timer.unref();
    },
    onCheckStart: ({ id }) => {
      running.add(id);
      refresh();
    },
    onCheckEnd: ({ check, durationSeconds, requests, outcome }) => {
      running.delete(check.id);
      done += 1;
      if (!progress.isInteractive) {
        const mark = outcome === 'done' ? '' : ', inconclusive';
        progress.note(
          `done: ${check.id} (${durationSeconds.toFixed(1)} s, ${countText(requests, 'request')}${mark})`,
        );
      }
      refresh();
    },
    onShortening: (id) => progress.show(`looking for the shortest way to show that ${id} fails`),
    onExplored: (requests, of) => progress.show(`explored with ${requests} of ${of} requests`),
  };
}

/** A failure in one line, as the verdict will list it. */
function failureLine({ id, level, message }: SeenFailure): string {
  return `✗ ${id} (${level}): ${printableLine(message, MESSAGE_LIMIT)}`;
}

/** The budget in words, one line each. */
export function describeBudget({
  budget,
  checks,
  exploration,
}: Pick<RunPlan, 'budget' | 'checks' | 'exploration'>): readonly string[] {
  const windows =
    budget.windows === 0
      ? "time passes on the target's control clock"
      : `${countText(budget.windows, 'window')} of a minute at most`;
  const { bans, usedUp } = budget;
  const sudden = usedUp.length === 0 ? [] : [`${usedUp.join(', ')} by a target that bans at the second 429`];
  const risked = [...(bans.length === 0 ? [] : [bans.join(', ')]), ...sudden];
  const risk = risked.length === 0 ? 'no ban risked' : `a ban risked on ${risked.join(', and on ')}`;
  const seed = exploration === null ? [] : [`Exploring with seed ${exploration.seed}`];
  return [
    `Budget: at most ${countText(budget.total, 'request')} in ${countText(checks.length, 'check')}, ${windows}, ${risk}`,
    ...budget.lines.map(
      ({ label, announced }) =>
        `  ${announced} ${label.startsWith('w') || label.startsWith('pre') || label === EXPLORATION_LINE ? '' : 'on '}${label}`,
    ),
    ...seed,
  ];
}

function clockTime(secondsFromNow: number): string {
  return new Date(Date.now() + secondsFromNow * 1000).toTimeString().slice(0, 8);
}
