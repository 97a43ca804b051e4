import { closeSync, openSync, writeSync } from 'node:fs';

import { errorCode, messageOf } from '../../../contract/error-text.ts';
import type { Outcome, Level } from '../../../contract/verdict.ts';
import { listedFailures, type Report } from '../../../reports/index.ts';
import type { LoadRunListener } from '../../../load/index.ts';
import type { CertifyListener } from '../../../suites/certify/index.ts';
import type { RunListener } from '../../../suites/verify/index.ts';
import { STDOUT } from './text-output.ts';

/** What happens in a run, as one line of `--events FILE`; every line also has its `time`, in ISO 8601. */
type RunEvent =
  | { readonly event: 'run-start'; readonly command: 'verify' | 'certify' | 'load' | 'replay' }
  | { readonly event: 'plan'; readonly checks: readonly string[]; readonly requests: number }
  | { readonly event: 'check-start' | 'scenario-start'; readonly id: string; readonly title: string }
  | {
      readonly event: 'check-end' | 'scenario-end';
      readonly id: string;
      readonly outcome: Outcome | 'done';
      readonly seconds: number;
      readonly requests: number;
    }
  | { readonly event: 'notice'; readonly text: string }
  /** A requirement has failed for the first time. */
  | {
      readonly event: 'failure-seen';
      readonly requirement: string;
      readonly level: Level;
      readonly message: string;
    }
  /** After the run. */
  | {
      readonly event: 'failure';
      readonly requirement: string;
      readonly level: Level;
      readonly message: string;
      /** The requirement that probably explains it; `null` for the root of a cause. */
      readonly follows: string | null;
    }
  | {
      readonly event: 'run-end';
      readonly verdict: Report['verdict'];
      readonly scope: string;
      readonly seconds: number;
    };

/** Where the events of a run go. */
export type EventLog = ReturnType<typeof openEventLog>;

/**
 * Opens the file of `--events`, and empties it. Each line is on its way when `emit` returns.
 * @param path `-` for stdout, `null` for nowhere
 */
export function openEventLog(path: string | null) {
  let file = path === null ? null : path === STDOUT ? process.stdout.fd : openSync(path, 'w');
  let problem: string | null = null;
  return {
    emit: (event: RunEvent): void => {
      if (file === null) {
        return;
      }
      try {
        writeSync(file, `${JSON.stringify({ time: new Date().toISOString(), ...event })}\n`);
      } catch (error) {
        if (path === STDOUT) {
          file = null;
        }
        // Neither a full disk nor a reader that is gone ends a run.
        if (errorCode(error) !== 'EPIPE') {
          problem ??= `--events ${path}: ${messageOf(error)}`;
        }
      }
    },
    /** @returns why the file lacks some of them, or `null` */
    close: (): string | null => {
      if (file !== null && path !== STDOUT) {
        closeSync(file);
      }
      file = null;
      return problem;
    },
  };
}

/** The listener of a judged target, which also tells the log of what happens. */
export function withEvents(listener: RunListener, { emit }: EventLog): RunListener {
  return {
    ...listener,
    onPlan: (plan) => {
      emit({ event: 'plan', checks: plan.checks.map(({ id }) => id), requests: plan.budget.total });
      listener.onPlan?.(plan);
    },
    onCheckStart: (check) => {
      emit({ event: 'check-start', id: check.id, title: check.title });
      listener.onCheckStart?.(check);
    },
    onCheckEnd: (summary) => {
      const { check, outcome, durationSeconds: seconds, requests } = summary;
      emit({ event: 'check-end', id: check.id, outcome, seconds, requests });
      listener.onCheckEnd?.(summary);
    },
    onFailure: (failure) => {
      const { id: requirement, level, message } = failure;
      emit({ event: 'failure-seen', requirement, level, message });
      listener.onFailure?.(failure);
    },
    onNotice: (text) => {
      emit({ event: 'notice', text });
      listener.onNotice?.(text);
    },
  };
}

/** The same of a client. */
export function withScenarioEvents(listener: CertifyListener, { emit }: EventLog): CertifyListener {
  return {
    ...listener,
    onScenarioStart: (scenario, counterparty) => {
      emit({ event: 'scenario-start', id: scenario.id, title: scenario.title });
      listener.onScenarioStart?.(scenario, counterparty);
    },
    onScenarioEnd: (record) => {
      emit({
        event: 'scenario-end',
        id: record.scenario.id,
        outcome: record.judgement.outcome,
        seconds: record.durationSeconds,
        requests: record.traffic.exchanges.length,
      });
      listener.onScenarioEnd?.(record);
    },
  };
}

/** The same of a load. */
export function withLoadEvents(listener: LoadRunListener, { emit }: EventLog): LoadRunListener {
  return {
    ...listener,
    onNotice: (text) => {
      listener.onNotice(text);
      emit({ event: 'notice', text });
    },
    onScenarioStart: (started, announced) => {
      listener.onScenarioStart(started, announced);
      const { id, title } = started.scenario;
      emit({ event: 'scenario-start', id, title });
    },
    onScenarioEnd: (ended) => {
      listener.onScenarioEnd(ended);
      const { id, outcome, durationSeconds: seconds, spent: requests } = ended;
      emit({ event: 'scenario-end', id, outcome, seconds, requests });
    },
  };
}

/** Tells of the failures, the likeliest cause first, and of the verdict. */
export function emitReport(emit: EventLog['emit'], report: Report): void {
  for (const { row, root } of listedFailures(report)) {
    emit({
      event: 'failure',
      requirement: row.id,
      level: row.level,
      message: row.findings[0]?.message ?? row.title,
      follows: root,
    });
  }
  const { verdict, scope, durationSeconds } = report;
  emit({ event: 'run-end', verdict, scope, seconds: durationSeconds });
}
