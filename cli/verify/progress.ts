import ora, { type Ora } from 'ora';
import { countText } from '../../reports/index.ts';
import type { RunListener, RunPlan } from '../../suites/verify/index.ts';
import { progressLineOf } from '../shared/output/progress-line.ts';

export interface ProgressOptions {
  readonly quiet: boolean;
  readonly color: boolean;
  readonly stream: NodeJS.WriteStream;
}

/** Shows on stderr what is going on; a line that changes on a terminal, plain lines elsewhere. */
export interface Progress extends RunListener {
  readonly note: (text: string) => void;
  readonly stop: () => void;
}

const REFRESH_MILLISECONDS = 250;

export function showProgress({ quiet, color, stream }: ProgressOptions): Progress {
  const running = new Set<string>();
  let plan: RunPlan | undefined;
  let done = 0;
  let spinner: Ora | undefined;
  let timer: NodeJS.Timeout | undefined;
  let lastWait = '';
  const interactive = stream.isTTY && !quiet;

  const line = (text: string): void => {
    if (quiet) {
      return;
    }
    spinner?.clear();
    stream.write(`${text}\n`);
    spinner?.render();
  };
  const refresh = (): void => {
    const [wait] = (plan?.waits() ?? []).toSorted((a, b) => a.secondsLeft - b.secondsLeft);
    const total = plan?.checks.length ?? 0;
    const waiting = wait !== undefined && wait.secondsLeft > 1;
    if (spinner !== undefined) {
      const names =
        [...running].slice(0, 3).join(', ') + (running.size > 3 ? ` and ${running.size - 3} more` : '');
      const pause = waiting
        ? ` · ${wait.why}, until ${clockTime(wait.secondsLeft)} (${Math.ceil(wait.secondsLeft)} s)`
        : '';
      spinner.text = progressLineOf(`${done} of ${total} checks done`, ` · ${names}`, pause, stream);
    } else if (waiting && wait.secondsLeft > 3 && wait.why !== lastWait) {
      lastWait = wait.why;
      line(
        `waiting until ${clockTime(wait.secondsLeft)} (${Math.ceil(wait.secondsLeft)} s): ${wait.why}; ${done} of ${total} checks done`,
      );
    }
  };
  const stop = (): void => {
    clearInterval(timer);
    spinner?.stop();
    spinner = undefined;
  };

  return {
    note: line,
    stop,
    onNotice: line,
    onPlan: (planned) => {
      plan = planned;
      for (const text of describeBudget(planned)) {
        line(text);
      }
      if (!quiet) {
        spinner = interactive
          ? ora({ stream, color: color ? 'cyan' : false, discardStdin: false }).start()
          : undefined;
        timer = setInterval(refresh, REFRESH_MILLISECONDS);
        timer.unref();
      }
    },
    onCheckStart: ({ id }) => {
      running.add(id);
      refresh();
    },
    onCheckEnd: ({ check, durationSeconds, requests, outcome }) => {
      running.delete(check.id);
      done += 1;
      if (!interactive) {
        const mark = outcome === 'done' ? '' : ', inconclusive';
        line(`done: ${check.id} (${durationSeconds.toFixed(1)} s, ${requests} requests${mark})`);
      }
      refresh();
    },
  };
}

/** The budget in words, one line each. */
export function describeBudget({ budget, checks }: RunPlan): readonly string[] {
  const windows =
    budget.windows === 0
      ? "time passes on the target's control clock"
      : `${budget.windows} ${budget.windows === 1 ? 'window' : 'windows'} of a minute at most`;
  const bans = budget.bans.length === 0 ? 'no ban risked' : `a ban risked on ${budget.bans.join(', ')}`;
  return [
    `Budget: at most ${budget.total} requests in ${countText(checks.length, 'check')}, ${windows}, ${bans}`,
    ...budget.lines.map(
      ({ label, announced }) =>
        `  ${announced} ${label.startsWith('w') || label.startsWith('pre') ? '' : 'on '}${label}`,
    ),
  ];
}

function clockTime(secondsFromNow: number): string {
  return new Date(Date.now() + secondsFromNow * 1000).toTimeString().slice(0, 8);
}
