import { SERVER_REQUIREMENTS } from '../../../contract/requirements/index.ts';
import { collectJudgements } from '../../oracle/index.ts';
import { redactorOf } from '../../target/index.ts';
import { lacksBody } from '../judge-recordings.ts';
import { judgeStream } from '../judge-stream.ts';
import type { PassedExchange, PassedRequest } from '../proxy/forward.ts';
import { decodeKept } from '../proxy/kept-body.ts';
import type { TrafficExchange, TrafficRequest } from '../traffic/traffic-exchange.ts';
import type { JudgedTraffic, JudgingOrder, PassedStep } from './passed-steps.ts';

/** A request that has no end yet. */
interface UnderWay {
  readonly request: TrafficRequest;
  readonly ended: (exchange: TrafficExchange) => void;
}

/** Judges what passed a proxy, step by step. */
export interface PassedJudge {
  readonly take: (step: PassedStep) => void;
  readonly judged: () => JudgedTraffic;
  /** Each key that is known, with the label that stands for it. */
  readonly secrets: () => JudgingOrder['secrets'];
}

export function judgePassed({ base, keys, isExclusive, secrets }: JudgingOrder): PassedJudge {
  const judgements = collectJudgements();
  const redactor = redactorOf(secrets);
  const common = { base, keys, isExclusive, redactor, judgements };
  const judge = judgeStream({ ...common, mayLackAuthorization: () => false });
  const { origin } = new URL(base);
  const underWay = new Map<number, UnderWay>();
  const counts = { exchanges: 0, withoutBody: 0, unanswered: 0 };
  const end = (id: number, response: PassedExchange['response'], endedAt: number): void => {
    const begun = underWay.get(id);
    underWay.delete(id);
    if (begun !== undefined) {
      const whole = { request: begun.request, response: decoded(response), endedAt };
      counts.exchanges += 1;
      counts.unanswered += response === null ? 1 : 0;
      counts.withoutBody += lacksBody(whole) ? 1 : 0;
      begun.ended(whole);
    }
  };
  return {
    take: (step) => {
      switch (step.step) {
        case 'began': {
          const request = requestOf(step.request, origin);
          underWay.set(step.id, { request, ended: judge.began(request) });
          break;
        }
        case 'ended':
          end(step.id, step.response, step.endedAt);
          break;
        case 'missed':
          judge.missed(step.at, step.begun, step.ended);
          break;
      }
    },
    judged: () => ({
      judgements: SERVER_REQUIREMENTS.map(({ id }) => judgements.judgementOf(id)),
      observations: judgements.observations(),
      ...counts,
    }),
    secrets: redactor.secrets,
  };
}

function requestOf(
  { method, target, requestHeaders, requestBody, sentAt }: PassedRequest,
  origin: string,
): TrafficRequest {
  const body = decodeKept(requestBody, requestHeaders);
  const hasBody = requestHeaders.some(([name]) => /^(?:content-length|transfer-encoding)$/i.test(name));
  return {
    method,
    url: origin + target,
    headers: requestHeaders,
    body: body?.length === 0 && !hasBody ? null : body,
    sentAt,
  };
}

function decoded(response: PassedExchange['response']): TrafficExchange['response'] {
  return response === null ? null : { ...response, body: decodeKept(response.body, response.headers) };
}
