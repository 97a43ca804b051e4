import { cameTooEarly } from '../records/early-requests.ts';
import { hideClientKey } from '../records/record-client-exchange.ts';
import type { ClientJudge, ScenarioRecord } from '../records/record.ts';
import { readTarget } from '../records/request-target.ts';
import type { ClientTask } from '../scenarios/scenario.ts';
import { afterRight, answersOf, isSentAtOnce, momentOf, clientRequests } from '../records/traffic-reading.ts';
import type { ClientExchange } from '../records/traffic.ts';

const CHANGE =
  'Send the documented method and path of the operation, and no other request before it or after it.';

/** The method and path of the operation under the base address, and nothing else. */
export const operation: ClientJudge = {
  id: 'operation',
  title: 'The client sends the operation that it was asked for',
  judges: ['client-operation'],
  judge: (record, say) => {
    const requests = clientRequests(record);
    if (requests.length === 0) {
      judgeSilence(record, say);
      return;
    }
    for (const [index, exchange] of requests.entries()) {
      const problem = problemOf(record, exchange);
      if (problem !== null) {
        say.fail('client-operation', `${problem}${afterRight(index)}`, CHANGE, exchange);
        return;
      }
    }
    const twin = sentAtOnce(record);
    if (twin !== null) {
      say.fail(
        'client-operation',
        `Two requests came at the same moment, ${momentOf(record, twin.receivedAt)}, over two connections.`,
        'Send the operation once, and look at its answer before you send anything again.',
        twin,
      );
      return;
    }
    const repeated = repeatedAfterSuccess(record);
    if (repeated !== null) {
      say.fail(
        'client-operation',
        `The operation had been answered 200, and it was sent once more at ${momentOf(record, repeated.receivedAt)}.`,
        'Send nothing more once the operation was answered.',
        repeated,
      );
      return;
    }
    say.pass('client-operation');
  },
};

const judgeSilence: ClientJudge['judge'] = ({ outcome, endedFor }, say) => {
  const hasHadItsChance =
    outcome.kind === 'replied' || (outcome.kind === 'ended' && endedFor !== 'interruption');
  if (hasHadItsChance) {
    say.fail(
      'client-operation',
      'No request that could be read arrived.',
      'Send the operation to the base address that is given; methods are in capital letters.',
    );
  } else {
    say.skip('client-operation', 'No request arrived.');
  }
};

function problemOf(record: ScenarioRecord, { request }: ClientExchange): string | null {
  const { baseUrl, scenario } = record;
  const { method, path } = documented(scenario.task);
  const { segments } = readTarget(request.target, baseUrl);
  const wanted = `${method} ${new URL(baseUrl).pathname}${path}`;
  const seen = `${request.method} ${hideClientKey(request.target, record).slice(0, 200)}`;
  if (segments === null) {
    return `${seen} was sent, which is not under the base address; ${wanted} was expected.`;
  }
  return request.method === method && isPathOf(scenario.task, segments)
    ? null
    : `${seen} was sent; ${wanted} was expected.`;
}

function documented(task: ClientTask): { readonly method: string; readonly path: string } {
  return task.operation === 'listInventory'
    ? { method: 'GET', path: '/inventory' }
    : { method: 'PATCH', path: `/inventory/${task.petId}` };
}

/** Which pet it names is judged by `exact-pet-id`. */
function isPathOf({ operation }: ClientTask, [collection, petId, ...further]: readonly string[]): boolean {
  const hasPet = petId !== undefined && petId !== '';
  return (
    collection === 'inventory' &&
    further.length === 0 &&
    (operation === 'listInventory' ? petId === undefined : hasPet)
  );
}

/** A request that came so shortly after another, over another connection, that its sender knew no answer yet. */
function sentAtOnce(record: ScenarioRecord): ClientExchange | null {
  // What follows a 429 too soon is judged by `waits`, and how soon it may follow can be unreadable.
  if (cameTooEarly(record)) {
    return null;
  }
  const requests = clientRequests(record);
  const twin = requests.find((exchange, index) => {
    const before = requests[index - 1];
    return before !== undefined && before.response.status !== 429 && isSentAtOnce(before, exchange);
  });
  return twin ?? null;
}

/** Whoever sends by hand may well look twice, so that is only said of a client that reports. */
function repeatedAfterSuccess(record: ScenarioRecord): ClientExchange | null {
  // What is sent while the client should wait is judged by `waits`, and how long it should may be unreadable.
  const isUnreadable = answersOf(record).some(
    ({ response, allowedAt }) => response.status === 429 && allowedAt === null,
  );
  if (record.outcome.kind === 'unknown' || cameTooEarly(record) || isUnreadable) {
    return null;
  }
  const success = answersOf(record).find(({ response }) => response.status === 200);
  return success === undefined
    ? null
    : (clientRequests(record).find(
        (exchange) => exchange !== success && exchange.receivedAt >= success.answeredAt,
      ) ?? null);
}
