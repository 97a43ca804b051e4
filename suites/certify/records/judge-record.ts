import { requirement, type RequirementId } from '../../../contract/requirements/index.ts';
import type { Outcome } from '../../../contract/verdict.ts';
import { hideClientKey, recordClientExchange } from './record-client-exchange.ts';
import type { Judgements } from '../../oracle/index.ts';
import { CLIENT_JUDGES } from '../judges/index.ts';
import type { ServerJudgement } from './judge-server.ts';
import type { ScenarioRecord } from './record.ts';

/** What was said of one scenario. */
export interface ScenarioJudgement {
  readonly outcome: Outcome;
  /** What failed and what to change, each in sentences. */
  readonly failures: readonly string[];
  /** The requirements that failed in it, alone. */
  readonly failed: readonly RequirementId[];
}

/**
 * Has every judge say what it sees in a scenario, of the requirements that the scenario is judged by. A server that did
 * not keep the specification proves nothing of its client.
 * @param server what the oracle says of the server
 */
export function judgeRecord(
  record: ScenarioRecord,
  judgements: Judgements,
  server: ServerJudgement,
): ScenarioJudgement {
  const { scenario } = record;
  const [accusation] = server.accusations;
  if (accusation !== undefined) {
    const reason = hideClientKey(accusation.message, record);
    const message = `${scenario.title}: The server of stockcheck did not keep the specification here, so nothing is said of the client. ${reason}`;
    for (const id of scenario.judges) {
      judgements.inconclusive(scenario.id, id, { message });
    }
    return { outcome: 'inconclusive', failures: [], failed: [] };
  }
  const failures: string[] = [];
  const failed = new Set<RequirementId>();
  let failsMust = false;
  let open = 0;
  let passes = 0;
  let observed = 0;
  const isAsked = (id: (typeof scenario.judges)[number]): boolean => scenario.judges.includes(id);
  for (const { judge } of CLIENT_JUDGES) {
    judge(record, {
      pass: (id) => {
        if (isAsked(id)) {
          passes += 1;
          judgements.pass(scenario.id, id);
        }
      },
      fail: (id, told, change, exchange) => {
        if (isAsked(id)) {
          const message = hideClientKey(told, record);
          failures.push(`${message} ${change}`);
          failed.add(id);
          failsMust ||= requirement(id).level === 'must';
          judgements.fail(scenario.id, id, {
            message: `${scenario.title}: ${message} ${change}`,
            ...(exchange === undefined ? {} : { exchange: recordClientExchange(exchange, record) }),
            check: scenario.id,
          });
        }
      },
      inconclusive: (id, message) => {
        if (isAsked(id)) {
          open += 1;
          judgements.inconclusive(scenario.id, id, {
            message: `${scenario.title}: ${hideClientKey(message, record)}`,
          });
        }
      },
      skip: (id, reason) => {
        if (isAsked(id)) {
          judgements.skip(scenario.id, id, reason);
        }
      },
      observe: (id, value, facet) => {
        if (isAsked(id)) {
          observed += 1;
          judgements.observe(scenario.id, id, value, facet);
        }
      },
    });
  }
  return { outcome: outcomeOf(failsMust, open, passes, observed), failures, failed: [...failed] };
}

function outcomeOf(failsMust: boolean, open: number, passes: number, observed: number): Outcome {
  if (failsMust) {
    return 'fail';
  }
  if (open > 0) {
    return 'inconclusive';
  }
  if (passes > 0) {
    return 'pass';
  }
  return observed > 0 ? 'observed' : 'skipped';
}
