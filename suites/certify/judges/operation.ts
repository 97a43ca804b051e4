import { hideClientKey } from '../records/record-client-exchange.ts';
import {
  say,
  type ClientExchange,
  type ClientJudge,
  type ClientJudgement,
  type ScenarioRecord,
} from '../records/record.ts';
import {
  answersOf,
  cameTooEarly,
  clientRequests,
  isSentAtOnce,
  momentOf,
  readTarget,
  requestAfter,
  type AnsweredExchange,
} from '../records/traffic-reading.ts';
import { requestOfTask, type ClientTask } from '../scenarios/scenario.ts';
import { afterRight, judgeEach } from './requests.ts';

const OPERATION = 'client-operation';

/** The method and path of the operation under the base address, and nothing else. */
export const operation: ClientJudge = {
  id: 'operation',
  title: 'The client sends the operation that it was asked for',
  judges: [OPERATION],
  judge: (record) => {
    const requests = clientRequests(record);
    if (requests.length === 0) {
      return judgeSilence(record);
    }
    const each = judgeEach(
      OPERATION,
      requests,
      'Send the documented method and path of the operation, and no other request before it or after it.',
      (exchange, index) => {
        const problem = problemOfOperation(record, exchange);
        return problem === null ? null : `${problem}${afterRight(index)}`;
      },
    );
    return each?.kind === 'fail' ? each : (judgeTwins(record) ?? judgeRepeatAfterSuccess(record) ?? each);
  },
};

function judgeSilence({ outcome, endedFor, traffic }: ScenarioRecord): ClientJudgement {
  const hasHadItsChance =
    outcome.kind === 'replied' || (outcome.kind === 'ended' && endedFor !== 'interruption');
  if (!hasHadItsChance) {
    return say.skip(OPERATION, 'No request arrived.');
  }
  return traffic.malformed !== null
    ? say.fail(
        OPERATION,
        `No request arrived that can be read: ${traffic.malformed}`,
        'Send requests of HTTP/1.1, without TLS, to the base address. Send one Host field, and not both Content-Length and Transfer-Encoding. Methods are in capital letters, no space stands before a colon, and lines end in CR LF.',
      )
    : say.fail(
        OPERATION,
        'No request arrived.',
        'Send the operation to the base address that is given, in each scenario anew.',
      );
}

function problemOfOperation({ baseUrl, scenario, apiKey }: ScenarioRecord, { request }: ClientExchange) {
  const { task } = scenario;
  const { method, path } = requestOfTask(task);
  const { segments } = readTarget(request.target, baseUrl);
  const wanted = `${method} ${new URL(baseUrl).pathname}${path}`;
  const seen = `${request.method} ${hideClientKey(request.target, { apiKey }).slice(0, 200)}`;
  if (segments === null) {
    return `${seen} was sent, which is not under the base address; ${wanted} was expected.`;
  }
  return request.method === method && isPathOf(task, segments)
    ? null
    : `${seen} was sent; ${wanted} was expected.`;
}

/** Which pet it names is judged by `exactPetId`. */
function isPathOf({ operation }: ClientTask, [collection, petId, ...further]: readonly string[]): boolean {
  const hasPet = petId !== undefined && petId !== '';
  return (
    collection === 'inventory' &&
    further.length === 0 &&
    (operation === 'listInventory' ? petId === undefined : hasPet)
  );
}

/** A request that came so shortly after another, over another connection, that its sender knew no answer yet. */
function judgeTwins(record: ScenarioRecord): ClientJudgement | null {
  const requests = clientRequests(record);
  const twin = requests.find((exchange, index) => {
    const before = requests[index - 1];
    return before !== undefined && before.response.status !== 429 && isSentAtOnce(before, exchange);
  });
  // What follows a 429 too soon is judged by `waits`, and how soon it may follow can be unreadable.
  return twin === undefined || cameTooEarly(record)
    ? null
    : say.fail(
        OPERATION,
        `Two requests came at the same moment, ${momentOf(record, twin.receivedAt)}, over two connections.`,
        'Send the operation once, and look at its answer before you send anything again.',
        twin,
      );
}

/** A person who sends by hand may well look twice, so that is only said of a client that reports. */
function judgeRepeatAfterSuccess(record: ScenarioRecord): ClientJudgement | null {
  const answers = answersOf(record);
  const success = answers.find(({ response }) => response.status === 200);
  const repeated = success === undefined ? undefined : requestAfter(record, success);
  // What is sent while the client should wait is judged by `waits`, and how long it should may be unreadable.
  const isUnreadable = answers.some(
    ({ response, allowedAt }) => response.status === 429 && allowedAt === null,
  );
  return repeated === undefined || record.outcome.kind === 'unknown' || cameTooEarly(record) || isUnreadable
    ? null
    : say.fail(
        OPERATION,
        `The operation had been answered 200, and it was sent once more at ${momentOf(record, repeated.receivedAt)}.`,
        'Send nothing more once the operation was answered.',
        repeated,
      );
}

/** What was answered 400, 401 or 404 is not sent again. */
export const repeats: ClientJudge = {
  id: 'repeats',
  title: 'The client does not retry a refused request',
  judges: ['client-does-not-repeat-refused'],
  judge: (record) => {
    const refusals = answersOf(record)
      .filter(({ response }) => [400, 401, 404].includes(response.status))
      .map((refusal) => ({ refusal, later: repeatsOf(refusal, record) }));
    const found = refusals.find(({ later }) => later.length > 0) ?? refusals[0];
    // What is sent while the client should wait is judged by `waits`.
    if (found === undefined || cameTooEarly(record)) {
      return null;
    }
    const { refusal, later } = found;
    const { status } = refusal.response;
    const [next] = later;
    return next === undefined
      ? say.pass('client-does-not-repeat-refused')
      : say.fail(
          'client-does-not-repeat-refused',
          `The request was answered ${status} at ${momentOf(record, refusal.answeredAt)}, and ${later.length === 1 ? 'one more was' : `${later.length} more were`} sent, the next at ${momentOf(record, next.receivedAt)}.`,
          `Report ${status} at once: the same request will be refused again. Only 429 is worth a retry.`,
          next,
        );
  },
};

/** What asked for the same once more; another request is judged by `operation`, and so is one of the same moment. */
function repeatsOf(refusal: AnsweredExchange, record: ScenarioRecord): readonly ClientExchange[] {
  const asked = whatIsAsked(refusal, record);
  return clientRequests(record).filter(
    (exchange) =>
      exchange !== refusal &&
      exchange.receivedAt >= refusal.answeredAt &&
      whatIsAsked(exchange, record) === asked &&
      !isSentAtOnce(refusal, exchange),
  );
}

function whatIsAsked({ request }: ClientExchange, { baseUrl }: ScenarioRecord): string {
  const { segments } = readTarget(request.target, baseUrl);
  return `${request.method} ${segments === null ? request.target : segments.join('/')}`;
}
