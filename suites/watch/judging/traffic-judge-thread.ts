import { parentPort, workerData } from 'node:worker_threads';

import { SERVER_REQUIREMENTS } from '../../../contract/requirements/index.ts';
import { collectJudgements } from '../../oracle/index.ts';
import { redactorOf } from '../../target/index.ts';
import { isLeftOpen, lacksBody } from '../judge-recordings.ts';
import { judgeStream } from '../judge-stream.ts';
import { decodeKept, type PassedRequest, type PassedResponse } from '../proxy/forward.ts';
import type { TrafficRequest } from '../traffic/traffic-exchange.ts';
import type { PassedStep } from './backlog.ts';
import type { FromJudge, JudgedTraffic, JudgingOrder, ToJudge } from './start-traffic-judge.ts';

// The progress of a watch is shown once a second.
const TELL_MILLISECONDS = 500;

function run(order: JudgingOrder): void {
  const { take, judged, secrets } = judgePassed(order);
  let telling: NodeJS.Timeout | undefined;
  parentPort?.on('message', (message: ToJudge) => {
    switch (message.kind) {
      case 'steps':
        message.steps.forEach(take);
        tell({ kind: 'done' });
        telling ??= setTimeout(() => {
          telling = undefined;
          tell({ kind: 'judged', judged: judged() });
        }, TELL_MILLISECONDS);
        break;
      case 'end':
        clearTimeout(telling);
        tell({ kind: 'ended', judged: judged(), secrets: secrets() });
        break;
    }
  });
  tell({ kind: 'judged', judged: judged() });
}

function tell(message: FromJudge): void {
  parentPort?.postMessage(message);
}

/** Judges what passed a proxy, step by step. */
function judgePassed({ base, keys, isExclusive, secrets }: JudgingOrder) {
  const judgements = collectJudgements();
  const redactor = redactorOf(secrets);
  const common = { base, keys, isExclusive, redactor, judgements };
  const judge = judgeStream({ ...common, mayLackAuthorization: () => false });
  const { origin } = new URL(base);
  /** What takes the ends of requests that have none yet. */
  const underWay = new Map<number, (response: PassedResponse | null, endedAt: number) => void>();
  const counts = { exchanges: 0, withoutBody: 0, leftOpen: 0, unanswered: 0 };
  const begin = (passed: PassedRequest): ((response: PassedResponse | null, endedAt: number) => void) => {
    const request = requestOf(passed, origin);
    const ended = judge.began(request);
    return (response, endedAt) => {
      const decoded = response && { ...response, body: decodeKept(response.body, response.headers) };
      const whole = { request, response: decoded, endedAt };
      counts.exchanges += 1;
      counts.unanswered += response === null ? 1 : 0;
      counts.withoutBody += lacksBody(whole) ? 1 : 0;
      counts.leftOpen += isLeftOpen(whole) ? 1 : 0;
      ended(whole);
    };
  };
  return {
    take: (step: PassedStep): void => {
      switch (step.step) {
        case 'began':
          underWay.set(step.id, begin(step.request));
          break;
        case 'ended':
          underWay.get(step.id)?.(step.response, step.endedAt);
          underWay.delete(step.id);
          break;
        case 'missed':
          judge.missed(step.at, step.begun, step.ended);
          break;
      }
    },
    judged: (): JudgedTraffic => ({
      judgements: SERVER_REQUIREMENTS.map(({ id }) => judgements.judgementOf(id)),
      observations: judgements.observations(),
      ...counts,
      exchanges: counts.exchanges - judge.ofGateway(),
      local: judge.ofGateway(),
    }),
    /** Each key that is known, with the label that stands for it. */
    secrets: redactor.secrets,
  };
}

function requestOf({ target, ...request }: PassedRequest, origin: string): TrafficRequest {
  const body = decodeKept(request.body, request.headers);
  const hasBody = request.headers.some(([name]) => /^(?:content-length|transfer-encoding)$/i.test(name));
  return { ...request, url: origin + target, body: body?.length === 0 && !hasBody ? null : body };
}

run(workerData);
