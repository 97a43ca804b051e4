import type { Finding } from './verdict.ts';

/** How a scenario went: every threshold held, one was crossed, nothing could be said, or it was not run. */
export type LoadOutcome = 'pass' | 'fail' | 'inconclusive' | 'skipped';

/** Milliseconds at the usual percentiles; each `null` if nothing was answered. */
export interface LatencySummary {
  readonly count: number;
  readonly min: number | null;
  readonly mean: number | null;
  readonly p50: number | null;
  readonly p90: number | null;
  readonly p95: number | null;
  readonly p99: number | null;
  readonly p999: number | null;
  readonly max: number | null;
}

/** One second of a measurement, counted by when requests were due and when answers came. */
export interface LoadSecond {
  /** Whole seconds since the start of the measurement. */
  readonly second: number;
  /** Requests due in this second; of the closed model, those sent. */
  readonly scheduled: number;
  readonly sent: number;
  readonly answered: number;
  /** Given up, whether it was sent or not. */
  readonly lost: number;
  /** Answers by class of status: `2xx`, `4xx`, `429`, `5xx`; 429 is not among `4xx`. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Response time of what was answered in this second, in milliseconds. */
  readonly p50: number | null;
  readonly p99: number | null;
  readonly max: number | null;
}

/** The results of one operation of a mix. */
export interface LoadOperation {
  /** Such as `GET /inventory`. */
  readonly name: string;
  readonly answered: number;
  readonly statuses: Readonly<Record<string, number>>;
  readonly responseTime: LatencySummary;
}

/** Answers of one kind. */
export interface AnswerFigures {
  /** Answers a second. */
  readonly rate: number;
  readonly responseTime: LatencySummary;
}

/** One measured period of load. */
export interface LoadMeasurement {
  readonly model: 'open' | 'closed';
  readonly durationSeconds: number;
  /** Requests that were due; of the closed model, those sent. */
  readonly scheduled: number;
  readonly sent: number;
  readonly answered: number;
  /** Due, but not sent while no connection could be had. */
  readonly unsent: number;
  /** The same by cause, such as `ECONNREFUSED`. Reports of earlier versions have none. */
  readonly unsentBy?: Readonly<Record<string, number>>;
  /** Sent once more, over a fresh connection, since one that was used before had ended. Reports of earlier versions have none. */
  readonly repeated?: number;
  /** Sent and never answered, by cause such as `ECONNRESET` or `timeout`. */
  readonly lost: Readonly<Record<string, number>>;
  /** Answers by status. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Requests due a second. */
  readonly scheduledRate: number;
  /** Requests sent a second. */
  readonly achievedRate: number;
  /** Answers 2xx a second. */
  readonly goodput: number;
  /** Answers 2xx, and all others. Reports of earlier versions have none. */
  readonly answers?: { readonly success: AnswerFigures; readonly other: AnswerFigures };
  /** From the moment at which the request was due (open model) or its turn came (closed model) to the last byte. */
  readonly responseTime: LatencySummary;
  /** From the moment of sending to the last byte. */
  readonly serviceTime: LatencySummary;
  /** Response time by percentile, for a plot: pairs of percentile (0 to 100) and milliseconds. */
  readonly percentiles: readonly (readonly [percentile: number, milliseconds: number])[];
  readonly operations: readonly LoadOperation[];
  readonly seconds: readonly LoadSecond[];
  /** How late the load generator sent requests, in milliseconds; a generator that falls behind makes it invalid. */
  readonly generatorLag: LatencySummary;
  /** What may have limited a closed model rather than the target: its times and rates show no fault of that. */
  readonly limitedBy?: 'generator' | 'ceiling';
  /** Why the figures are not valid; empty if they are. */
  readonly invalid: readonly string[];
}

/** `p99 < 100 ms`, and whether it held. */
export interface LoadThreshold {
  readonly expression: string;
  /** The value measured, in the unit of the expression; `null` if there is none. */
  readonly value: number | null;
  readonly outcome: LoadOutcome;
}

/** One rate that the search for the capacity tried. */
export interface CapacityStep {
  /** Requests due a second. */
  readonly rate: number;
  /** Answers 2xx a second. */
  readonly achievedRate: number;
  readonly p99: number | null;
  /** Share of requests that were lost, not sent or answered 5xx, or asked for the list and were answered as no list is. */
  readonly errorShare: number;
  readonly held: boolean;
  /** `step`, `bisect` or `confirm`. */
  readonly phase: string;
}

/** What one key was granted in one window. */
export interface LimitWindow {
  /** Label such as `free#1`. */
  readonly key: string;
  readonly plan: string;
  /** Which of its limits. */
  readonly window: 'minute';
  readonly limit: number;
  readonly sent: number;
  readonly accepted: number;
  readonly refused: number;
  readonly lost: number;
}

/** One scenario as it went. */
export interface LoadScenarioResult {
  readonly id: string;
  readonly title: string;
  /** What it was run with, such as `{"rate": "500/s", "duration": "10 s"}`. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly outcome: LoadOutcome;
  /** Why it is inconclusive or skipped; in a sentence. */
  readonly reason: string | null;
  readonly thresholds: readonly LoadThreshold[];
  /** Violations of the specification that were seen under this load. */
  readonly findings: readonly Finding[];
  /** The most requests that it may send, announced before it began, and those sent. */
  readonly announced: number;
  readonly spent: number;
  readonly durationSeconds: number;
  /** One for each round; capacity has the confirming one. */
  readonly measurements: readonly LoadMeasurement[];
  /** Highest rate that met the objective, in requests a second; `null` except for the capacity scenario. */
  readonly capacity: number | null;
  readonly capacitySteps: readonly CapacityStep[];
  readonly windows: readonly LimitWindow[];
  /** In sentences: what else was seen, such as a recovery time. */
  readonly notes: readonly string[];
}

/** A measure of a scenario next to that of an earlier report, over the rounds of each. */
export interface ComparedMeasure {
  readonly scenario: string;
  /** Such as `p99` or `goodput`. */
  readonly measure: string;
  readonly unit: string;
  readonly before: number;
  readonly after: number;
  /** Relative change, and its 95 % confidence bounds: 0.1 is ten percent more. */
  readonly change: number;
  readonly lower: number;
  readonly upper: number;
  readonly judgement: 'better' | 'same' | 'worse' | 'too few rounds';
}
