import { messageOf } from '../../contract/error-text.ts';
import { countText } from '../../contract/words/enumeration.ts';
import { SERVER_REQUIREMENTS } from '../../contract/requirements/index.ts';
import { collectJudgements } from '../oracle/index.ts';
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
  let loss: string | null = null;
  let unjudged = 0;
  const attempt = <Result>(act: () => Result): Result | null => {
    if (loss !== null) {
      return null;
    }
    try {
      return act();
    } catch (error) {
      loss = messageOf(error);
      return null;
    }
  };
  const end = (
    request: TrafficRequest,
    ended: ReturnType<typeof judge.began>,
    response: PassedResponse | null,
    endedAt: number,
  ): true => {
    const decoded = response && { ...response, body: decodeKept(response.body, response.headers) };
    const whole = { request, response: decoded, endedAt };
    ended(whole);
    counts.exchanges += 1;
    counts.unanswered += response === null ? 1 : 0;
    counts.withoutBody += lacksBody(whole) ? 1 : 0;
    counts.leftOpen += isLeftOpen(whole) ? 1 : 0;
    return true;
  };
  const began: PassingListener = (passed) => {
    const request = requestOf(passed, origin);
    const ended = attempt(() => judge.began(request));
    return (response, endedAt) => {
      const isJudged = ended !== null && attempt(() => end(request, ended, response, endedAt)) !== null;
      unjudged += isJudged ? 0 : 1;
    };
  };
  return {
    began,
    /** Something passed that is not judged: so many requests began, and so many ended. */
    missed: (begun: number, ended: number): void => {
      attempt(() => judge.missed(Date.now(), begun, ended));
    },
    judged: (): Omit<TrafficFindings, 'others'> => ({
      judgements: SERVER_REQUIREMENTS.map(({ id }) => judgements.judgementOf(id)),
      observations: judgements.observations(),
      ...counts,
      exchanges: counts.exchanges - judge.ofGateway(),
      local: judge.ofGateway(),
    }),
    /** Why not all was judged that could have been, in a sentence; `null` if it was. */
    problem: (): string | null =>
      loss === null
        ? null
        : `Judging ended before the traffic did (${loss}), so that ${countText(unjudged, 'exchange')} passed unjudged.`,
  };
}

function requestOf({ target, ...request }: PassedRequest, origin: string): TrafficRequest {
  const body = decodeKept(request.body, request.headers);
  const hasBody = request.headers.some(([name]) => /^(?:content-length|transfer-encoding)$/i.test(name));
  return { ...request, url: origin + target, body: body?.length === 0 && !hasBody ? null : body };
}
