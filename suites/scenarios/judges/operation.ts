import type { ClientJudge, ScenarioRecord } from '../record.ts';
import { readTarget } from '../request-target.ts';
import type { ClientTask } from '../scenario.ts';
import { answersOf, momentOf, requestsOf } from '../traffic-reading.ts';
import type { ClientExchange } from '../traffic.ts';

const CHANGE = 'Send the documented method and path of the operation, and nothing besides it.';

/** The method and path of the operation under the base address, and nothing else. */
export const operation: ClientJudge = {
  id: 'operation',
  title: 'The client sends the operation that it was asked for',
  judges: ['client-operation'],
  judge: (record, say) => {
    const requests = requestsOf(record);
    if (requests.length === 0) {
      judgeSilence(record, say);
      return;
    }
    for (const exchange of requests) {
      const problem = problemOf(record, exchange);
      if (problem !== null) {
        say.fail('client-operation', problem, CHANGE, exchange);
        return;
      }
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

function problemOf({ baseUrl, scenario }: ScenarioRecord, { request }: ClientExchange): string | null {
  const { method, path } = documented(scenario.task);
  const { segments, query } = readTarget(request.target, baseUrl);
  const wanted = `${method} ${new URL(baseUrl).pathname}${path}`;
  const seen = `${request.method} ${request.target.slice(0, 200)}`;
  if (segments === null) {
    return `${seen} was sent, which is not under the base address; ${wanted} was expected.`;
  }
  if (request.method !== method || !isPathOf(scenario.task, segments)) {
    return `${seen} was sent; ${wanted} was expected.`;
  }
  return query === '' ? null : `${seen} was sent; the operation has no query parameters.`;
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

/** Whoever sends by hand may well look twice, so that is only said of a client that reports. */
function repeatedAfterSuccess(record: ScenarioRecord): ClientExchange | null {
  if (record.outcome.kind === 'unknown') {
    return null;
  }
  const success = answersOf(record).find(({ response }) => response.status === 200);
  return success === undefined
    ? null
    : (requestsOf(record).find(
        (exchange) => exchange !== success && exchange.receivedAt >= success.answeredAt,
      ) ?? null);
}
