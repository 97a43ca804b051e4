import ora, { type Ora } from 'ora';

import type { LoadScenarioResult, LoadSecond } from '../../contract/load-result.ts';
import { progressLine, progressLineOf } from '../shared/output/progress-line.ts';
import { parametersLine, type LoadRunListener } from '../../load/index.ts';

/** Shows on stderr what a load is doing: a line that changes on a terminal, plain lines elsewhere. */
export interface LoadProgress extends LoadRunListener {
  readonly note: (text: string) => void;
  readonly stop: () => void;
}

export interface LoadProgressOptions {
  readonly quiet: boolean;
  readonly color: boolean;
  readonly stream: NodeJS.WriteStream;
  /** Ids of the scenarios in their order. */
  readonly scenarios: readonly string[];
}

const PLAIN_LINE_EVERY_MILLISECONDS = 2_000;

export function showLoadProgress({ quiet, color, stream, scenarios }: LoadProgressOptions): LoadProgress {
  const spinner: Ora | undefined =
    quiet || !stream.isTTY
      ? undefined
      : ora({ stream, color: color ? 'cyan' : false, discardStdin: false }).start();
  let current = '';
  let phase = '';
  let phaseEndsAt = 0;
  let lastLineAt = 0;
  let done = 0;

  const note = (text: string): void => {
    if (!quiet) {
      spinner?.clear();
      stream.write(`${text}\n`);
      spinner?.render();
    }
  };
  const next = (): string => {
    const following = scenarios[done + 1];
    return following === undefined ? '' : `, next ${following}`;
  };

  return {
    note,
    onNotice: note,
    onScenarioStart: ({ scenario, parameters }, announced) => {
      current = scenario.id;
      phase = '';
      const given = parametersLine(scenario, parameters);
      note(`${scenario.id}: ${scenario.title} (${given}; at most ${announced} requests)`);
    },
    onPhase: (text, seconds) => {
      phase = text;
      phaseEndsAt = performance.now() + seconds * 1000;
      if (spinner !== undefined) {
        spinner.text = progressLine(`${current}: ${text}`, stream);
      }
    },
    onSecond: (second) => {
      const left = Math.max(0, Math.ceil((phaseEndsAt - performance.now()) / 1000));
      const head = `${current}${phase === '' ? '' : `, ${phase}`}: `;
      const described = describeSecond(second);
      const tail = `, ${left} s to go${next()}`;
      if (spinner !== undefined) {
        spinner.text = progressLineOf(head, described, tail, stream);
      } else if (performance.now() - lastLineAt > PLAIN_LINE_EVERY_MILLISECONDS) {
        lastLineAt = performance.now();
        note(`${head}${described}${tail}`);
      }
    },
    onScenarioEnd: (result) => {
      done += 1;
      note(`done: ${result.id} (${result.durationSeconds.toFixed(1)} s, ${describeOutcome(result)})`);
    },
    stop: () => {
      spinner?.stop();
    },
  };
}

function describeSecond({ scheduled, answered, lost, statuses, p50, p99 }: LoadSecond): string {
  const classes = Object.entries(statuses).map(([name, count]) => `${name} ${count}`);
  const times = p50 === null || p99 === null ? [] : [`p50 ${p50.toFixed(1)} ms`, `p99 ${p99.toFixed(1)} ms`];
  return [
    `${answered}/s of ${scheduled}/s`,
    ...times,
    ...classes,
    ...(lost === 0 ? [] : [`lost ${lost}`]),
  ].join(', ');
}

function describeOutcome({ outcome, spent, capacity }: LoadScenarioResult): string {
  const found = capacity === null ? '' : `, capacity ${Math.round(capacity)}/s`;
  return `${outcome}, ${spent} requests${found}`;
}
