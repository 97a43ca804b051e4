import { messageOf } from '../../contract/error-text.ts';
import { countText } from '../../contract/words/enumeration.ts';
import { SERVER_REQUIREMENTS } from '../../contract/requirements/index.ts';
import { collectJudgements } from '../oracle/index.ts';
import { unreadableBody } from '../target/index.ts';
import { isLeftOpen, lacksBody, type TrafficFindings, type TrafficOptions } from './judge-recordings.ts';
import { judgeStream } from './judge-stream.ts';
import {
  decodeKept,
  type PassedRequest,
  type PassedResponse,
  type PassingListener,
} from './proxy/forward.ts';
import type { TrafficRequest } from './traffic/traffic-exchange.ts';

/** Judges what passes a proxy as it passes. An error of the judge ends the judging, and not the traffic. */
export function judgePassing({ base, keys, isExclusive, redactor }: TrafficOptions) {
  const judgements = collectJudgements();
  const judge = judgeStream({
    base,
    keys,
    isExclusive,
    redactor,
    judgements,
    mayLackAuthorization: () => false,
  });
  const { origin } = new URL(base);
  const counts = { exchanges: 0, withoutBody: 0, leftOpen: 0, unanswered: 0 };
  const { attempt, failure } = untilOneFails();
  let unjudged = 0;
  const end = (
    request: TrafficRequest,
    ended: ReturnType<typeof judge.began>,
    response: PassedResponse | null,
    endedAt: number,
  ): void => {
    const decoded = response && {
      ...response,
      body: decodeKept(response.body, response.headers, unreadableBody),
    };
    const whole = { request, response: decoded, endedAt };
    ended(whole);
    counts.exchanges += 1;
    counts.unanswered += response === null ? 1 : 0;
    counts.withoutBody += lacksBody(whole) ? 1 : 0;
    counts.leftOpen += isLeftOpen(whole) ? 1 : 0;
  };
  const steps = keepOrder();
  const began: PassingListener = (passed) => {
    let take: ((response: PassedResponse | null, endedAt: number) => void) | null = null;
    const bodyPassed = steps.hold((body) => {
      attempt(() => {
        const request = requestOf(passed, body, origin);
        const ended = judge.began(request);
        take = (response, endedAt) => end(request, ended, response, endedAt);
      });
    });
    return {
      bodyPassed,
      ended: (response, endedAt) =>
        steps.follow(() => {
          unjudged += attempt(() => take?.(response, endedAt)) ? 0 : 1;
        }),
    };
  };
  return {
    began,
    /** Something passed that is not judged: so many requests began, and so many ended. */
    missed: (begun: number, ended: number): void => {
      const at = Date.now();
      steps.follow(() => attempt(() => judge.missed(at, begun, ended)));
    },
    /** Waits for no more bodies. */
    close: steps.close,
    judged: (): Omit<TrafficFindings, 'others'> => ({
      judgements: SERVER_REQUIREMENTS.map(({ id }) => judgements.judgementOf(id)),
      observations: judgements.observations(),
      ...counts,
      exchanges: counts.exchanges - judge.ofGateway(),
      local: judge.ofGateway(),
    }),
    /** Why not all was judged that could have been, in a sentence; `null` if it was. */
    problem: (): string | null =>
      failure() === null
        ? null
        : `Judging ended before the traffic did (${failure()}), so that ${countText(unjudged, 'exchange')} passed unjudged.`,
  };
}

/** Does nothing more once something has failed. */
function untilOneFails() {
  let failure: string | null = null;
  return {
    /** @returns whether it was done */
    attempt: (act: () => void): boolean => {
      if (failure !== null) {
        return false;
      }
      try {
        act();
        return true;
      } catch (error) {
        failure = messageOf(error);
        return false;
      }
    },
    failure: () => failure,
  };
}

function requestOf(
  { target, ...request }: PassedRequest,
  passed: Buffer | undefined,
  origin: string,
): TrafficRequest {
  const body = decodeKept(passed, request.headers);
  const hasBody = request.headers.some(([name]) => /^(?:content-length|transfer-encoding)$/i.test(name));
  return { ...request, url: origin + target, body: body?.length === 0 && !hasBody ? null : body };
}

// Each may hold a long list.
const MOST_WAITING = 500;

/** Takes steps in the order in which they began: those behind a request wait for its body. */
function keepOrder() {
  const waiting: { isReady: boolean; take: () => void }[] = [];
  const takeReady = (most = MOST_WAITING): void => {
    while (waiting[0]?.isReady === true || waiting.length > most) {
      waiting.shift()?.take();
    }
  };
  return {
    /** @param take is called without a body if that comes too late @returns takes the body */
    hold: (take: (body: Buffer | undefined) => void): ((body: Buffer | undefined) => void) => {
      const step = { isReady: false, take: (): void => take(undefined) };
      waiting.push(step);
      return (body) => {
        Object.assign(step, { isReady: true, take: () => take(body) });
        takeReady();
      };
    },
    follow: (take: () => void): void => {
      waiting.push({ isReady: true, take });
      takeReady();
    },
    close: (): void => takeReady(0),
  };
}
