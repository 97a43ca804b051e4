import type { RequirementId } from '../../../contract/requirements/index.ts';
import type { Finding } from '../../../contract/verdict.ts';
import {
  needsRequestTrace,
  type Exchange,
  type Key,
  type OracleJudgement,
  type Reporter,
} from '../../oracle/index.ts';
import type { TargetClient } from './target-client.ts';

/** Has every monitor judge an exchange. */
export function inspect(
  client: TargetClient,
  exchange: Exchange,
  key: Key | null,
  mayBeBanned: boolean,
): void {
  const circumstances = { key, mayBeBanned, clock: client.clock };
  for (const monitor of client.monitors) {
    monitor.watch(exchange, reporterFor(client, monitor.id, exchange), circumstances);
  }
}

/** Records what the oracle says of the history so far. */
export function noteJudgements(client: TargetClient, said: readonly OracleJudgement[]): void {
  for (const { by, id, holds, message, proof } of said) {
    if (holds) {
      client.judgements.pass(by, id);
    } else {
      fail(client, by, id, message, decisive(proof));
    }
  }
}

/** What went wrong is the request that wrote, and not the list that shows it. */
function decisive(proof: readonly Exchange[]): Exchange | undefined {
  const last = proof.at(-1);
  return last?.request.method === 'GET'
    ? (proof.findLast(({ request }) => request.method !== 'GET') ?? last)
    : last;
}

/** What would not be kept is not written out either: in a long stream that would be most of the work. */
function fail(
  client: TargetClient,
  by: string,
  id: RequirementId,
  message: string,
  exchange: Exchange | undefined,
): void {
  const finding = client.judgements.isFull(id) ? { message } : evidence(client, message, exchange, id);
  client.judgements.fail(by, id, finding);
}

function reporterFor(client: TargetClient, by: string, exchange: Exchange): Reporter {
  return {
    judge: (id, holds, message) => {
      if (holds) {
        client.judgements.pass(by, id);
      } else {
        fail(client, by, id, message(), exchange);
      }
      return holds;
    },
    observe: (id, value, facet) => {
      const shown = typeof value === 'string' ? client.redactor.redact(value) : value;
      client.judgements.observe(by, id, shown, facet);
    },
  };
}

/**
 * A finding with the exchange that shows it, and the steps that led there if one exchange does not show it.
 * @param id of the requirement that is judged, if it is one
 */
export function evidence(
  client: TargetClient,
  message: string,
  exchange?: Exchange,
  id?: RequirementId,
): Finding {
  const { redactor, origin, sender } = client;
  const steps =
    exchange === undefined || (id !== undefined && needsRequestTrace(id))
      ? (sender?.trace.steps(redactor, origin) ?? [])
      : [];
  const key = exchange?.key === null ? undefined : client.keys.get(exchange?.key ?? '');
  return {
    message: redactor.redact(message),
    ...(exchange === undefined
      ? {}
      : {
          exchange: redactor.record(exchange, origin),
          curl: redactor.curl(exchange, origin, key, client.curl),
        }),
    ...(sender === null ? {} : { check: sender.check }),
    ...(steps.length === 0 ? {} : { steps }),
  };
}
