import { requirement, type RequirementId } from '../../../contract/requirements/index.ts';
import type { Outcome } from '../../../contract/verdict.ts';
import { hideClientKey, recordClientExchange } from './record-client-exchange.ts';
import type { Judgements } from '../../oracle/index.ts';
import { CLIENT_JUDGES } from '../judges/index.ts';
import type { ServerJudgement } from './judge-server.ts';
import type { Say, ScenarioRecord } from './record.ts';

/** What was said of one scenario. */
export interface ScenarioJudgement {
  readonly outcome: Outcome;
  /** What failed and what to change, each in sentences. */
  readonly failures: readonly string[];
  /** The requirements that failed in it, alone. */
  readonly failed: readonly RequirementId[];
}

/** Where this is judged, whatever a client does wrong is said of it, as the 429 was only one that may come. */
const ANY_JSON = 'client-reads-any-json';
const PARTS_OF_ANY_JSON: ReadonlySet<RequirementId> = new Set([
  'client-completes',
  'client-reports-error',
  'client-reports-result',
  'client-waits',
]);

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
  const askedAs = (id: RequirementId): RequirementId | null =>
    scenario.judges.includes(id)
      ? id
      : scenario.judges.includes(ANY_JSON) && PARTS_OF_ANY_JSON.has(id)
        ? ANY_JSON
        : null;
  const say: Say = {
    pass: (id) => {
      passes += 1;
      judgements.pass(scenario.id, id);
    },
    fail: (id, told, change, exchange) => {
      const message = hideClientKey(told, record);
      failures.push(`${message} ${change}`);
      failed.add(id);
      failsMust ||= requirement(id).level === 'must';
      judgements.fail(scenario.id, id, {
        message: `${scenario.title}: ${message} ${change}`,
        ...(exchange === undefined ? {} : { exchange: recordClientExchange(exchange, record) }),
        check: scenario.id,
      });
    },
    inconclusive: (id, message) => {
      open += 1;
      judgements.inconclusive(scenario.id, id, {
        message: `${scenario.title}: ${hideClientKey(message, record)}`,
      });
    },
    skip: (id, reason) => judgements.skip(scenario.id, id, reason),
    observe: (id, value, facet) => {
      observed += 1;
      judgements.observe(scenario.id, id, value, facet);
    },
  };
  CLIENT_JUDGES.forEach(({ judge }) => judge(record, ofAsked(say, askedAs)));
  return { outcome: outcomeOf(failsMust, open, passes, observed), failures, failed: [...failed] };
}

/** Passes on what is said of the requirements that are asked for, by the name that they are asked for. */
function ofAsked(say: Say, askedAs: (id: RequirementId) => RequirementId | null): Say {
  const told =
    <Rest extends readonly unknown[]>(tell: (id: RequirementId, ...rest: Rest) => void) =>
    (id: RequirementId, ...rest: Rest): void => {
      const asked = askedAs(id);
      if (asked !== null) {
        tell(asked, ...rest);
      }
    };
  return {
    pass: told(say.pass),
    fail: told(say.fail),
    inconclusive: told(say.inconclusive),
    skip: told(say.skip),
    observe: told(say.observe),
  };
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
