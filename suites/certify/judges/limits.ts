import { countText } from '../../../contract/words/enumeration.ts';
import { headerValues } from '../../../contract/rate-limit-headers.ts';
import type { HeaderField } from '../../../contract/verdict.ts';
import { CLIENT_TIME_ZONE } from '../drivers/driver.ts';
import { fitBackoff, limitedWaits } from '../records/fit-backoff.ts';
import { say, type ClientJudge, type ScenarioRecord } from '../records/record.ts';
import {
  answersOf,
  cameTooEarly,
  clientRequests,
  earlyRequests,
  endOf,
  inSeconds,
  isLimiting,
  isTolerable,
  limitingAnswers,
  momentOf,
  sentRetryAfter,
  TOLERANCE_SECONDS,
  type EarlyRequest,
  type LimitingExchange,
} from '../records/traffic-reading.ts';

const WAITS = 'client-waits';
const AVOIDS_BAN = 'client-avoids-ban';
const BACKS_OFF = 'client-backs-off';
const STOPS_TRYING = 'client-stops-trying';
/** What a client does at a 429 by its own choice. */
const RETRIES = 'client-retries-limited';

/** Nothing is sent before Retry-After has passed; only the early side is judged. */
export const waits: ClientJudge = {
  id: 'waits',
  title: 'The client waits as long as Retry-After says',
  judges: [WAITS, RETRIES, 'client-reads-any-json', 'client-reads-obsolete-dates', 'client-reads-rare-http'],
  judge: (record) => {
    const limiting = limitingAnswers(record);
    const early = earlyRequests(record);
    const offences = early.filter((request) => !isTolerable(request));
    const [first] = offences;
    if (first !== undefined) {
      const count = countRequests(offences);
      const further = count === 1 ? '' : ` ${count} requests in this scenario came too early.`;
      return say.fail(WAITS, `${describe(record, first)}${further}`, advise(limiting, first), first.request);
    }
    return [
      ...(early.length > 0 ? [say.observe(RETRIES, 'under 20 ms early', 'arrival')] : []),
      ...(limiting.some((exchange) => hasWaitedFor(record, exchange)) ? [say.pass(WAITS)] : []),
    ];
  },
};

function countRequests(early: readonly EarlyRequest[]): number {
  return new Set(early.map(({ request }) => request)).size;
}

/** Whether the client returned later, gave up, or stayed away for as long as it had to or was watched. */
function hasWaitedFor(record: ScenarioRecord, { answeredAt, allowedAt }: LimitingExchange): boolean {
  return (
    record.outcome.kind === 'replied' ||
    record.endedFor === 'let go' ||
    endOf(record) >= allowedAt ||
    clientRequests(record).some(({ receivedAt }) => receivedAt > answeredAt)
  );
}

function describe(record: ScenarioRecord, { limiting, request, early }: EarlyRequest): string {
  const [name, value] = retryAfterField(limiting);
  const { answeredAt, allowedAt } = limiting;
  return (
    `The client came back after ${inSeconds(request.receivedAt - answeredAt)} of ${inSeconds(allowedAt - answeredAt)}: ` +
    `the answer ${limiting.response.status} of ${momentOf(record, answeredAt)} said ${name}: ${value}, ` +
    `and the next request came at ${momentOf(record, request.receivedAt)}, ${inSeconds(early)} too early.`
  );
}

function retryAfterField({ response }: LimitingExchange): HeaderField {
  return response.headers.find(([name]) => name.toLowerCase() === 'retry-after') ?? ['Retry-After', '(none)'];
}

const LONGEST_TIMER_SECONDS = 2 ** 31 / 1000;

/** What to do, and what was special about the answer. */
function advise(limitings: readonly LimitingExchange[], { limiting }: EarlyRequest): string {
  const [name] = retryAfterField(limiting);
  const index = limitings.indexOf(limiting);
  return [
    'Send nothing before Retry-After has passed, or give up and report the 429.',
    ...(name === 'Retry-After' ? [] : [`The name of the header is written ${name} here.`]),
    ...(limiting.allowedAt - limiting.answeredAt > LONGEST_TIMER_SECONDS
      ? ['A timer of 31 bits of milliseconds, as that of Node.js, ends such a wait at once.']
      : []),
    ...(sentRetryAfter(limiting)?.form === 'http-date'
      ? [`The date is in GMT; the client runs in the time zone ${CLIENT_TIME_ZONE}.`]
      : []),
    ...(index > 0 ? [`It was answer ${index + 1} of ${limitings.length} that asked for a wait.`] : []),
    ...(resetOf(limiting) < limiting.allowedAt
      ? ['X-RateLimit-Remaining and X-RateLimit-Reset describe the minute here, and the day is used up.']
      : []),
  ].join(' ');
}

/** The end of the window that the three headers describe, which rounds up to whole seconds. */
function resetOf({ response, allowedAt }: LimitingExchange): number {
  const [value] = headerValues(response.headers, 'X-RateLimit-Reset');
  return value === undefined ? allowedAt : Number(value);
}

/** The client does not go on after 429s until a server would ban it. */
export const banConduct: ClientJudge = {
  id: 'ban',
  title: 'The client does not drive itself into a ban',
  judges: [AVOIDS_BAN],
  judge: (record) => {
    const answers = answersOf(record);
    if (!record.traffic.droveIntoBan) {
      return answers.some(({ response }) => response.status === 429) ? say.pass(AVOIDS_BAN) : null;
    }
    const count = countRequests(earlyRequests(record).filter((request) => !isTolerable(request)));
    return say.fail(
      AVOIDS_BAN,
      `After 429s the client sent ${countText(count, 'request')} too early, and the key was banned.`,
      'Stop sending at a 429 until Retry-After has passed, in everything that uses the key, and give up after a few attempts.',
      answers.at(-1),
    );
  },
};

/** A machine makes waits longer, so that a few which grow may look alike by chance, but not so many. */
const ALIKE_WAITS = 5;
/** With jitter, a few of the shortest may come first. */
const HELD_WAITS = 4;
/** Less than that beyond Retry-After is no growth, however much of it the machine has added; seconds. */
const NO_GROWTH_SECONDS = 0.1;

/** Whether each wait but the first was as long as it had to be, and hardly longer, which no machine makes it. */
function isHeld(waited: readonly number[], limited: LimitingExchange | undefined): boolean {
  const asked = limited === undefined ? undefined : sentRetryAfter(limited);
  return (
    waited.length >= HELD_WAITS &&
    asked?.form === 'delta-seconds' &&
    waited
      .slice(1)
      .every((wait) => wait > asked.seconds - TOLERANCE_SECONDS && wait < asked.seconds + NO_GROWTH_SECONDS)
  );
}

/** Waits grow over consecutive 429s, or vary as full jitter makes them. */
export const backoff: ClientJudge = {
  id: 'backoff',
  title: 'The client backs off over consecutive 429s',
  judges: [BACKS_OFF, RETRIES],
  judge: (record) => {
    const limited = answersOf(record).filter(({ response }) => response.status === 429);
    if (!record.scenario.judges.includes(BACKS_OFF) || limited.length === 0) {
      return null;
    }
    const waited = limitedWaits(record);
    const { factor, verdict } = fitBackoff(waited);
    const isConstant =
      (verdict === 'constant' && waited.length >= ALIKE_WAITS) || isHeld(waited, limitingAnswers(record)[0]);
    const tellsNothing = verdict === 'constant' && !isConstant;
    if (factor === null || verdict === 'too few' || tellsNothing) {
      return say.skip(
        BACKS_OFF,
        `Neither growth nor its absence shows in ${countText(waited.length, 'wait')} after consecutive 429s.`,
      );
    }
    const shown = waited.slice(0, 8).map(inSeconds).join(', ');
    return [
      say.observe(RETRIES, verdict, 'waits'),
      say.observe(RETRIES, Math.round(factor * 10) / 10, 'backoff-factor'),
      verdict === 'varying' && cameTooEarly(record)
        ? say.skip(BACKS_OFF, 'The client did not wait for Retry-After, so that its delays are no backoff.')
        : !isConstant
          ? say.pass(BACKS_OFF)
          : say.fail(
              BACKS_OFF,
              `${waited.length} consecutive waits show no growth: ${shown}${waited.length > 8 ? ' …' : ''}. The last was ${inSeconds((waited.at(-1) ?? 0) - Math.min(...waited))} longer than the shortest.`,
              'Wait for Retry-After and, from the second 429 on, an additional delay that doubles each time, with jitter.',
              limited.at(-1),
            ),
    ];
  },
};

/** Fewer attempts may still be bounded. */
const MANY_ATTEMPTS = 10;

/** The client gives up in the end if every answer is 429. */
export const attempts: ClientJudge = {
  id: 'attempts',
  title: 'The client gives up after a bounded number of attempts',
  judges: [STOPS_TRYING, RETRIES],
  judge: (record) => {
    const { outcome, endedFor, durationSeconds, scenario } = record;
    const last = answersOf(record).at(-1);
    // Elsewhere a client has other reasons to give up, such as a long Retry-After.
    if (!scenario.judges.includes(STOPS_TRYING) || last === undefined || !isLimiting(last)) {
      return null;
    }
    const { length } = clientRequests(record);
    const tried = `After ${length === 1 ? 'one attempt' : `${length} attempts`}`;
    const goesOn = `${tried} in ${inSeconds(durationSeconds)} the client was still trying`;
    if (outcome.kind === 'replied') {
      return [say.observe(RETRIES, length, 'attempts'), say.pass(STOPS_TRYING)];
    }
    if (endedFor === 'unending retries' && length >= MANY_ATTEMPTS) {
      const change = 'Give up after a few attempts, and report the 429.';
      return [
        say.observe(RETRIES, `${MANY_ATTEMPTS} or more`, 'attempts'),
        say.fail(STOPS_TRYING, `${goesOn}.`, change, last),
      ];
    }
    if (endedFor === 'unending retries') {
      return say.inconclusive(STOPS_TRYING, `${goesOn}; its limit, if it has one, is higher.`);
    }
    return outcome.kind === 'unknown' || endedFor === 'silence'
      ? say.skip(STOPS_TRYING, `${tried} nothing came for ${inSeconds(endOf(record) - last.answeredAt)}.`)
      : null;
  },
};
