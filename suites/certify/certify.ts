import { setTimeout as delay } from 'node:timers/promises';

import { CLIENT_REQUIREMENTS } from '../../contract/requirements/index.ts';
import type { ClientDriver, ClientOutcome } from './drivers/driver.ts';
import { collectJudgements, type Judgement, type ObservedValue } from '../oracle/index.ts';
import { isMute } from './judges/completion.ts';
import { judgeRecord, type ScenarioJudgement } from './records/judge-record.ts';
import { judgeTogether, type JointFailure } from './records/judge-together.ts';
import type { ScenarioRecord } from './records/record.ts';
import type { ClientScenario } from './scenarios/scenario.ts';
import type { Counterparty } from './records/traffic.ts';
import { sideBySide } from './side-by-side.ts';

export interface ClientRunOptions {
  readonly scenarios: readonly ClientScenario[];
  readonly driver: ClientDriver;
  /** Starts the server that the client talks to in a scenario. */
  readonly start: (scenario: ClientScenario) => Promise<Counterparty>;
  /** Scenarios side by side. */
  readonly jobs: number;
  /** A client that does nothing for this long, when it may, is taken to hang. */
  readonly patienceSeconds: number;
  /**
   * `each`: a client is started for each scenario; `one`: one client serves them all, and may let one wait for
   * another; `nobody`: the first request comes whenever somebody sends it.
   */
  readonly starts: 'each' | 'one' | 'nobody';
  /** Ends the scenarios that still wait; what was seen is judged. */
  readonly finish: AbortSignal;
  /** Ends the run; what was not judged stays open. */
  readonly signal: AbortSignal;
  readonly listener: CertifyListener;
}

/** Is told what happens while it happens. */
export interface CertifyListener {
  readonly onScenarioStart?: (scenario: ClientScenario, counterparty: Counterparty) => void;
  readonly onScenarioEnd?: (record: JudgedRecord) => void;
}

/** A scenario as it went, and what was said of it. */
export interface JudgedRecord extends ScenarioRecord {
  readonly judgement: ScenarioJudgement;
}

export interface CertifyResult {
  readonly records: readonly JudgedRecord[];
  readonly judgements: readonly Judgement[];
  readonly observations: Readonly<Record<string, ObservedValue | readonly string[]>>;
  readonly interrupted: boolean;
  /** Scenarios that were not begun, since the client had reported nothing in any of those before. */
  readonly leftOut: readonly ClientScenario[];
  readonly startedAt: Date;
  readonly durationSeconds: number;
}

/** A client that still tries again after so many 429s, and waits as it is told, is not run any longer. */
const MOST_LIMITED_ANSWERS = 12;
const REQUESTS_AFTER_BAN = 3;
/** No operation takes more, however it is answered. */
const MOST_REQUESTS = 40;
/** What a client sends when it has replied already is seen within this time. */
const LINGER_MILLISECONDS = 150;
const LONGEST_NAP_MILLISECONDS = 1_000;

/** Runs a client through scenarios and judges what it did. @throws if the client cannot be started */
export async function certifyClient(options: ClientRunOptions): Promise<CertifyResult> {
  const { scenarios, jobs, signal, listener } = options;
  const startedAt = new Date();
  const started = performance.now();
  const judgements = collectJudgements();
  const records: JudgedRecord[] = [];
  const mute = new AbortController();
  const shared: SharedActivity = { last: unixSeconds() };
  const longestFirst = scenarios.toSorted((left, right) => right.seconds - left.seconds);
  for (const batch of options.starts === 'one' ? batchesForOne(longestFirst) : [longestFirst]) {
    await sideBySide(batch, jobs, AbortSignal.any([signal, mute.signal]), async (scenario) => {
      const record = await performScenario(scenario, options, shared);
      // Said of all in the order of the scenarios below, whichever ended first.
      const judged = { ...record, judgement: judgeRecord(record, collectJudgements()) };
      records.push(judged);
      if (records.length >= Math.min(jobs, scenarios.length) && records.every(isMute)) {
        mute.abort();
      }
      listener.onScenarioEnd?.(judged);
    });
  }
  const order = new Map(scenarios.map(({ id }, index) => [id, index]));
  const place = ({ scenario }: ScenarioRecord): number => order.get(scenario.id) ?? 0;
  const ordered = records.toSorted((left, right) => place(left) - place(right));
  for (const record of ordered) {
    judgeRecord(record, judgements);
  }
  const joint = judgeTogether(ordered, judgements);
  return {
    records: ordered.map((record) => withJointFailure(record, joint)),
    judgements: CLIENT_REQUIREMENTS.map(({ id }) => judgements.judgementOf(id)),
    observations: judgements.observations(),
    interrupted: signal.aborted,
    leftOut: mute.signal.aborted
      ? scenarios.filter(({ id }) => !records.some((record) => record.scenario.id === id))
      : [],
    startedAt,
    durationSeconds: (performance.now() - started) / 1_000,
  };
}

function withJointFailure(record: JudgedRecord, joint: JointFailure | null): JudgedRecord {
  if (joint?.records.has(record) !== true) {
    return record;
  }
  return {
    ...record,
    judgement: { outcome: 'fail', failures: [...record.judgement.failures, joint.message] },
  };
}

/** What is let go takes the client's process with it, and what that works at beside; so each comes alone, at last. */
function batchesForOne(scenarios: readonly ClientScenario[]): readonly (readonly ClientScenario[])[] {
  const { alone = [], together = [] } = Object.groupBy(scenarios, ({ letGoAfterSeconds }) =>
    letGoAfterSeconds === undefined ? 'together' : 'alone',
  );
  return [together, ...alone.map((scenario) => [scenario])];
}

/** When any scenario of one client saw anything last; Unix seconds. */
interface SharedActivity {
  last: number;
}

async function performScenario(
  scenario: ClientScenario,
  options: ClientRunOptions,
  shared: SharedActivity,
): Promise<ScenarioRecord> {
  const { driver, start, signal, finish, listener } = options;
  const counterparty = await start(scenario);
  const end = new AbortController();
  let endedFor: ScenarioRecord['endedFor'] = null;
  const stop = (reason: NonNullable<ScenarioRecord['endedFor']>): void => {
    endedFor ??= reason;
    end.abort();
  };
  const onSignal = (): void => stop('interruption');
  signal.addEventListener('abort', onSignal, { once: true });
  const onFinish = (): void => stop('silence');
  finish.addEventListener('abort', onFinish, { once: true });
  if (finish.aborted) {
    onFinish();
  }
  try {
    listener.onScenarioStart?.(scenario, counterparty);
    const startedAt = unixSeconds();
    const { baseUrl, apiKey } = counterparty;
    const over = new AbortController();
    const watching = watch(scenario, counterparty, options, shared, stop, over.signal);
    let outcome: ClientOutcome;
    try {
      outcome = await driver.perform({ id: scenario.id, baseUrl, apiKey, task: scenario.task }, end.signal);
    } finally {
      over.abort();
      await watching;
    }
    const durationSeconds = unixSeconds() - startedAt;
    if (!signal.aborted) {
      await delay(LINGER_MILLISECONDS);
    }
    return {
      scenario,
      baseUrl,
      apiKey,
      traffic: counterparty.traffic(),
      outcome,
      endedFor,
      startedAt,
      durationSeconds,
    };
  } finally {
    signal.removeEventListener('abort', onSignal);
    finish.removeEventListener('abort', onFinish);
    await counterparty.close();
  }
}

/** Stops a client that hangs, that would go on for ever, or that has been watched for long enough. */
async function watch(
  { letGoAfterSeconds = Infinity }: ClientScenario,
  counterparty: Counterparty,
  { starts, patienceSeconds }: ClientRunOptions,
  shared: SharedActivity,
  stop: (reason: 'silence' | 'unending retries' | 'let go') => void,
  over: AbortSignal,
): Promise<void> {
  let lastActivity = unixSeconds();
  const ended = new Promise<void>((resolve) => {
    over.addEventListener('abort', () => resolve(), { once: true });
  });
  while (!over.aborted) {
    const { exchanges, droveIntoBan } = counterparty.traffic();
    const limited = exchanges.filter(({ response }) => response.status === 429).length;
    const ban = exchanges.findIndex(({ response }) => response.status === 429);
    const isHopeless =
      droveIntoBan && ban !== -1 && exchanges.length > MOST_LIMITED_ANSWERS + REQUESTS_AFTER_BAN;
    if (
      exchanges.length >= MOST_REQUESTS ||
      isHopeless ||
      (!droveIntoBan && limited >= MOST_LIMITED_ANSWERS)
    ) {
      stop('unending retries');
      return;
    }
    const quietSince = Math.max(lastActivity, ...exchanges.map(({ allowedAt }) => allowedAt ?? 0));
    shared.last = Math.max(shared.last, quietSince);
    const mayStillStart = starts === 'nobody' && exchanges.length === 0;
    const left = mayStillStart
      ? patienceSeconds
      : (starts === 'one' ? shared.last : quietSince) + patienceSeconds - unixSeconds();
    if (left <= 0) {
      stop('silence');
      return;
    }
    const watched = (exchanges[0]?.answeredAt ?? Infinity) + letGoAfterSeconds - unixSeconds();
    if (watched <= 0) {
      stop('let go');
      return;
    }
    const wasActive = await Promise.race([
      counterparty.activity().then(() => true),
      delay(Math.min(left * 1_000, watched * 1_000, LONGEST_NAP_MILLISECONDS), false, { ref: false }),
      ended.then(() => false),
    ]);
    lastActivity = wasActive ? unixSeconds() : lastActivity;
  }
}

/** The clock of this process, which is the counterparty's too. */
function unixSeconds(): number {
  return (performance.timeOrigin + performance.now()) / 1_000;
}
