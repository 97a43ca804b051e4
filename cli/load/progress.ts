import { countText } from '../../contract/words/enumeration.ts';
import type { LoadScenarioResult, LoadSecond } from '../../contract/load-result.ts';
import { parametersLine, type LoadRunListener } from '../../load/index.ts';
import { openProgress, type Progress } from '../shared/output/progress.ts';

const PLAIN_LINE_EVERY_SECONDS = 2;

/**
 * Shows which scenario runs, in which phase, and what its last second was like.
 * @param scenarios their ids, in order
 */
export function showLoadProgress({
  quiet,
  scenarios,
}: {
  readonly quiet: boolean;
  readonly scenarios: readonly string[];
}): Progress & LoadRunListener {
  const progress = openProgress({ quiet, plainLineEverySeconds: PLAIN_LINE_EVERY_SECONDS });
  let current = '';
  let phase = '';
  let phaseEndsAt = 0;
  let done = 0;

  return {
    ...progress,
    onNotice: progress.note,
    onScenarioStart: ({ scenario, parameters }, announced) => {
      current = scenario.id;
      phase = '';
      const given = parametersLine(scenario, parameters);
      progress.note(
        `${scenario.id}: ${scenario.title} (${given}; at most ${countText(announced, 'request')})`,
      );
    },
    onPhase: (text, seconds) => {
      phase = text;
      phaseEndsAt = performance.now() + seconds * 1000;
      if (progress.isInteractive) {
        progress.show(`${current}: ${text}`);
      }
    },
    onSecond: (second) => {
      const left = Math.max(0, Math.ceil((phaseEndsAt - performance.now()) / 1000));
      const following = scenarios[done + 1];
      const next = following === undefined ? '' : `, next ${following}`;
      const head = `${current}${phase === '' ? '' : `, ${phase}`}: `;
      const toGo = left === 0 ? '' : `, ${left} s to go`;
      progress.show(head, describeSecond(second), `${toGo}${next}`);
    },
    onScenarioEnd: (result) => {
      done += 1;
      progress.note(
        `done: ${result.id} (${result.durationSeconds.toFixed(1)} s, ${describeOutcome(result)})`,
      );
    },
  };
}

function describeSecond({ scheduled, answered, lost, statuses, p50, p99 }: LoadSecond): string {
  const classes = Object.entries(statuses).map(([name, count]) => `${name} ${count}`);
  const times = p50 === null || p99 === null ? [] : [`p50 ${p50.toFixed(1)} ms`, `p99 ${p99.toFixed(1)} ms`];
  return [
    // Nothing is due while the last answers are waited for.
    scheduled === 0 ? `${answered}/s` : `${answered}/s of ${scheduled}/s`,
    ...times,
    ...classes,
    ...(lost === 0 ? [] : [`unanswered ${lost}`]),
  ].join(', ');
}

function describeOutcome({ outcome, spent, capacity }: LoadScenarioResult): string {
  const found = capacity === null ? '' : `, capacity ${Number(capacity.toFixed(1))}/s`;
  return `${outcome}, ${countText(spent, 'request')}${found}`;
}
