import { requirement, type RequirementId } from '../../../contract/requirements/index.ts';
import type { Outcome } from '../../../contract/verdict.ts';
import { hideClientKey, recordClientExchange } from './record-client-exchange.ts';
import type { Judgements } from '../../oracle/index.ts';
import { CLIENT_JUDGES } from '../judges/index.ts';
import type { ServerJudgement } from './judge-server.ts';
import { type ClientScenario, hasFormInTurn, noteOfForm } from '../scenarios/scenario.ts';
import { say, type ClientJudgement, type ScenarioRecord } from './record.ts';
import { hasTrait, inSeconds } from './traffic-reading.ts';

/** What was said of one scenario. */
export interface ScenarioJudgement {
  readonly outcome: Outcome;
  /** What failed and what to change, each in sentences. */
  readonly failures: readonly string[];
  /** The requirements that failed in it, alone. */
  readonly failed: readonly RequirementId[];
}

const AFTER_A_LIMIT = [
  'client-completes',
  'client-reports-error',
  'client-reports-result',
  'client-waits',
] as const;

/**
 * Where one of these is judged, whatever a client does wrong is said of it, as no service need ever answer like that; but not
 * what it is known to do wrong elsewhere, too.
 */
const STAND_INS = [
  { id: 'client-reads-any-json', parts: AFTER_A_LIMIT },
  { id: 'client-reads-obsolete-dates', parts: AFTER_A_LIMIT },
  { id: 'client-reads-rare-http', parts: AFTER_A_LIMIT },
  { id: 'client-reports-no-answer', parts: ['client-reports-result'] },
] as const satisfies readonly { readonly id: RequirementId; readonly parts: readonly RequirementId[] }[];

/** A client that bears `slow` answers bears what comes so late in other scenarios; seconds. */
const LATE_SECONDS = 2;
const LATER_THAN_SLOW_SECONDS = 0.5;

/** What a request holds is not the worse for an answer that comes late. */
const WHENEVER_IT_IS_SENT: ReadonlySet<RequirementId> = new Set<RequirementId>([
  'client-sends-bearer',
  'client-update-body',
  'client-exact-pet-id',
]);
/** What is said of a request, or of none. */
const ABOUT_REQUESTS = WHENEVER_IT_IS_SENT.union(new Set<RequirementId>(['client-operation']));

/** Whether the counterparty was kept from its work for so long that a client may have given it up, and sent anew. */
export function wasLate(record: ScenarioRecord): boolean {
  const { lateSeconds = 0 } = record;
  return lateSeconds >= (hasTrait(record, 'slow') ? LATER_THAN_SLOW_SECONDS : LATE_SECONDS);
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
  const said = CLIENT_JUDGES.flatMap(({ judge }) => judge(record) ?? []).flatMap((found) => {
    const each = unlessLate(found, record);
    const id = askedAs(each.id, scenario);
    const isKnown = each.kind === 'fail' && judgements.judgementOf(each.id).outcome === 'fail';
    if (id === null) {
      return [];
    }
    if (each.kind !== 'fail') {
      return [{ ...each, id }];
    }
    return id !== each.id && isKnown
      ? [say.skip(id, `The client fails ${each.id} elsewhere, too.`)]
      : [{ ...each, id, change: adviceOf(each, record, isKnown) }];
  });
  for (const each of said) {
    note(each, record, judgements);
  }
  const failures = said.filter((each) => each.kind === 'fail');
  return {
    outcome: outcomeOf(said),
    failures: failures.map((each) => `${hideClientKey(each.message, record)} ${each.change}`),
    failed: [...new Set(failures.map(({ id }) => id))],
  };
}

function unlessLate(said: ClientJudgement, record: ScenarioRecord): ClientJudgement {
  return said.kind !== 'fail' || !wasLate(record) || WHENEVER_IT_IS_SENT.has(said.id)
    ? said
    : say.inconclusive(
        said.id,
        `The machine kept certify from answering for ${inSeconds(record.lateSeconds ?? 0)}, which may be why: ${said.message}`,
      );
}

/** Scenarios are judged in ascending order of it, so that what shows without a rare form is not said to be due to it. */
export function rarityOf(scenario: ClientScenario): number {
  const hasStandIn = STAND_INS.some(({ id }) => scenario.judges.includes(id));
  if (hasStandIn) {
    return 3;
  }
  // A form in turn has as little to do with a scenario as any other; a trait of its own is in its title.
  return hasFormInTurn(scenario) ? 1 : 2 * Number((scenario.traits ?? []).length > 0);
}

/** By which name a scenario asks for what is said of a requirement; `null` if it does not. */
function askedAs(id: RequirementId, { judges }: ClientScenario): RequirementId | null {
  const standIn = STAND_INS.find(
    (one) => judges.includes(one.id) && one.parts.some((part: RequirementId) => part === id),
  );
  return judges.includes(id) ? id : (standIn?.id ?? null);
}

/** What to change, and the form of the answers if one had been given before. */
function adviceOf(
  { id, change, exchange }: Extract<ClientJudgement, { kind: 'fail' }>,
  { scenario, traffic }: ScenarioRecord,
  isSeenElsewhere: boolean,
): string {
  const precedes = ABOUT_REQUESTS.has(id) && (exchange === undefined || exchange === traffic.exchanges[0]);
  return `${change}${precedes ? '' : noteOfForm(scenario, isSeenElsewhere)}`;
}

function note(said: ClientJudgement, record: ScenarioRecord, judgements: Judgements): void {
  const { id: scenario, title } = record.scenario;
  const told = (message: string): string => `${title}: ${hideClientKey(message, record)}`;
  switch (said.kind) {
    case 'pass':
      judgements.pass(scenario, said.id);
      break;
    case 'fail':
      judgements.fail(scenario, said.id, {
        message: `${told(said.message)} ${said.change}`,
        ...(said.exchange === undefined ? {} : { exchange: recordClientExchange(said.exchange, record) }),
        check: scenario,
      });
      break;
    case 'inconclusive':
      judgements.inconclusive(scenario, said.id, { message: told(said.message) });
      break;
    case 'skip':
      judgements.skip(scenario, said.id, said.message);
      break;
    case 'observe':
      judgements.observe(scenario, said.id, said.value, said.facet);
      break;
  }
}

function outcomeOf(said: readonly ClientJudgement[]): Outcome {
  if (said.some(({ kind, id }) => kind === 'fail' && requirement(id).level === 'must')) {
    return 'fail';
  }
  const kinds = new Set(said.map(({ kind }) => kind));
  if (kinds.has('inconclusive')) {
    return 'inconclusive';
  }
  if (kinds.has('pass')) {
    return 'pass';
  }
  return kinds.has('observe') ? 'observed' : 'skipped';
}
