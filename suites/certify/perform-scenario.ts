import { setTimeout as delay } from 'node:timers/promises';

import { MINUTE_SECONDS } from '../../contract/plans.ts';
import { readRateLimit } from '../../contract/rate-limit-headers.ts';
import type { ClientDriver, ClientOutcome } from './drivers/driver.ts';
import type { ScenarioRecord, ClientExchange, Counterparty, Traffic } from './records/record.ts';
import type { ClientScenario } from './scenarios/scenario.ts';

/** A client that still tries again after so many 429s, and waits as it is told, is not run any longer. */
const MOST_LIMITED_ANSWERS = 12;
const REQUESTS_AFTER_BAN = 3;
/** No operation takes more, however it is answered. */
const MOST_REQUESTS = 40;
/** What a client sends when it has replied already is seen within this time. */
const LINGER_MILLISECONDS = 700;
/** It shows by how much this process is late, too. */
const LONGEST_NAP_SECONDS = 0.1;
/** What a client writes is a sign of life, but one that only writes ends no operation: so many times its patience. */
const PATIENCES_FOR_WRITING = 5;
/** A client that garbles its replies does not say more. */
const PATIENCE_AT_GARBLED_SECONDS = 5;

/** How a client is run. */
export interface ClientPlayOptions {
  readonly driver: ClientDriver;
  /** Starts the server that the client talks to in a scenario. */
  readonly start: (scenario: ClientScenario) => Promise<Counterparty>;
  /** Scenarios side by side. */
  readonly jobs: number;
  /** A client that does nothing for this long, when it may and the machine lets it, is taken to hang. */
  readonly patienceSeconds: number;
  /** Ends the scenarios that still wait; what was seen is judged. */
  readonly finish: AbortSignal;
  /** Ends the run; what was not judged stays open. */
  readonly signal: AbortSignal;
}

/** When any scenario of one client saw anything last; Unix seconds. */
type SharedActivity = ReturnType<typeof beginActivity>;

export function beginActivity() {
  return { last: unixSeconds() };
}

type StoppedFor = 'silence' | 'unending retries' | 'let go';

/** Runs the client through one scenario. @throws if the client cannot be started */
export async function performScenario(
  scenario: ClientScenario,
  options: ClientPlayOptions,
  shared: SharedActivity,
  onStart?: (scenario: ClientScenario, counterparty: Counterparty) => void,
): Promise<ScenarioRecord> {
  const { driver, start, signal, finish } = options;
  const counterparty = await start(scenario);
  const stopping = new AbortController();
  let stoppedFor: StoppedFor = 'silence';
  const stop = (reason: StoppedFor): void => {
    stoppedFor = reason;
    stopping.abort();
  };
  const end = AbortSignal.any([stopping.signal, finish, signal]);
  try {
    onStart?.(scenario, counterparty);
    const startedAt = unixSeconds();
    const { baseUrl, apiKey } = counterparty;
    const over = new AbortController();
    const watching = watch({ scenario, counterparty, stop, over: over.signal }, options, shared);
    let outcome: ClientOutcome;
    let stalls: readonly Stall[] = [];
    try {
      outcome = await driver.perform({ id: scenario.id, baseUrl, apiKey, task: scenario.task }, end);
    } finally {
      over.abort();
      stalls = await watching;
    }
    const durationSeconds = unixSeconds() - startedAt;
    if (!signal.aborted) {
      await delay(LINGER_MILLISECONDS);
    }
    const traffic = counterparty.traffic();
    return {
      scenario,
      baseUrl,
      apiKey,
      traffic,
      outcome,
      endedFor: signal.aborted ? 'interruption' : end.aborted ? stoppedFor : null,
      startedAt,
      durationSeconds,
      lateSeconds: latenessOf(stalls, traffic),
    };
  } finally {
    await counterparty.close();
  }
}

/** A time in which this process did nothing, though it was its turn; Unix seconds. */
interface Stall {
  readonly from: number;
  readonly to: number;
}

/** What came so shortly behind a stall may have waited all the time; seconds. */
const NEAR_SECONDS = 0.1;

/** For how long at most a request waited, or its answer; without any request, for how long one could have. */
function latenessOf(stalls: readonly Stall[], { exchanges }: Traffic): number {
  const isFelt = ({ from, to }: Stall): boolean =>
    exchanges.length === 0 ||
    exchanges.some(
      ({ receivedAt, answeredAt }) =>
        to > receivedAt - NEAR_SECONDS && from < (answeredAt ?? Infinity) + NEAR_SECONDS,
    );
  return Math.max(0, ...stalls.filter(isFelt).map(({ from, to }) => to - from));
}

/** A scenario under way. */
interface PlayedScenario {
  readonly scenario: ClientScenario;
  readonly counterparty: Counterparty;
  /** Ends the client. */
  readonly stop: (reason: StoppedFor) => void;
  /** Aborts when the client has ended. */
  readonly over: AbortSignal;
}

/**
 * Stops a client that hangs, that would go on for ever, or that has been watched for long enough.
 * @returns when this process did nothing in the meantime, though it was its turn
 */
async function watch(
  { scenario: { letGoAfterSeconds = Infinity }, counterparty, stop, over }: PlayedScenario,
  { driver, patienceSeconds }: ClientPlayOptions,
  shared: SharedActivity,
): Promise<readonly Stall[]> {
  let lastActivity = unixSeconds();
  // A machine that is busy with others lets neither the client act nor its server answer.
  const processorDelay = (): number => driver.processorDelay(counterparty.apiKey);
  const delayBefore = processorDelay();
  let clientDelay = 0;
  let serverDelay = 0;
  const stalls: Stall[] = [];
  const ended = new Promise<void>((resolve) => {
    over.addEventListener('abort', () => resolve(), { once: true });
  });
  while (!over.aborted) {
    const { exchanges, droveIntoBan } = counterparty.traffic();
    const limited = exchanges.filter(({ response }) => response.status === 429).length;
    const isHopeless = droveIntoBan
      ? exchanges.length > MOST_LIMITED_ANSWERS + REQUESTS_AFTER_BAN
      : limited >= MOST_LIMITED_ANSWERS;
    if (isHopeless || exchanges.length >= MOST_REQUESTS) {
      stop('unending retries');
      return stalls;
    }
    const quietSince = Math.max(lastActivity, ...exchanges.map((exchange) => restsUntil(exchange, driver)));
    const mayStillStart = driver.starts === 'nobody' && exchanges.length === 0;
    const patience = driver.garbles()
      ? Math.min(patienceSeconds, PATIENCE_AT_GARBLED_SECONDS)
      : patienceSeconds;
    const wroteAt = unixSeconds() - driver.quietSeconds(counterparty.apiKey);
    const livedAt = Math.max(quietSince, Math.min(wroteAt, quietSince + PATIENCES_FOR_WRITING * patience));
    shared.last = Math.max(shared.last, livedAt);
    const since = driver.starts === 'one' ? shared.last : livedAt;
    const patienceLeft = since + patience + serverDelay - unixSeconds();
    if (patienceLeft + clientDelay <= 0) {
      clientDelay = Math.max(clientDelay, processorDelay() - delayBefore);
    }
    const left = mayStillStart ? patienceSeconds : patienceLeft + clientDelay;
    if (left <= 0) {
      stop('silence');
      return stalls;
    }
    const watched = (exchanges[0]?.answeredAt ?? Infinity) + letGoAfterSeconds - unixSeconds();
    if (watched <= 0) {
      stop('let go');
      return stalls;
    }
    const napped = unixSeconds();
    const nap = Math.min(left, watched, LONGEST_NAP_SECONDS);
    const wasActive = await Promise.race([
      counterparty.activity().then(() => true),
      delay(nap * 1_000, false, { ref: false }),
      ended.then(() => false),
    ]);
    const now = unixSeconds();
    const late = Math.max(0, now - napped - nap);
    serverDelay += late;
    stalls.push(...(late > NEAR_SECONDS ? [{ from: napped, to: now }] : []));
    lastActivity = wasActive ? now : lastActivity;
  }
  return stalls;
}

/**
 * Until when a client has a reason to do nothing: twice as long as it was told to wait, since it may wait longer. Its plan
 * counts requests by the minute, so that one that was refused, or told that nothing remains, may sit out a whole minute
 * whatever it is told besides. Of one that nobody started, silence says nothing.
 */
function restsUntil({ answeredAt, allowedAt, response }: ClientExchange, { starts }: ClientDriver): number {
  if (answeredAt === null) {
    return 0;
  }
  const isUsedUp = response.status === 429 || readRateLimit(response.headers)?.remaining === 0;
  const minute = isUsedUp && starts !== 'nobody' ? MINUTE_SECONDS : 0;
  const wait = allowedAt === null ? 0 : allowedAt - answeredAt;
  return answeredAt + Math.max(2 * wait, minute, 0);
}

/** The clock of this process, which is the counterparty's too. */
function unixSeconds(): number {
  return (performance.timeOrigin + performance.now()) / 1_000;
}
