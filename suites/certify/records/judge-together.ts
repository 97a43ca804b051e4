import type { RequirementId } from '../../../contract/requirements/index.ts';
import type { Judgements } from '../../oracle/index.ts';
import { habitualEarliness, type HabitualEarliness } from './early-returns.ts';
import { recordClientExchange } from './record-client-exchange.ts';
import type { ScenarioRecord } from './record.ts';

const ID: RequirementId = 'client-waits';
const SHOWN_RETURNS = 8;

/** What scenarios show only together, and which of them do. */
export interface JointFailure {
  readonly records: ReadonlySet<ScenarioRecord>;
  /** What failed and what to change, in sentences. */
  readonly message: string;
}

/** Judges what no scenario shows by itself: a client that usually returns a few milliseconds too early. */
export function judgeTogether(
  records: readonly ScenarioRecord[],
  judgements: Judgements,
): JointFailure | null {
  const habit = habitualEarliness(records.filter(({ scenario }) => scenario.judges.includes(ID)));
  if (habit === null) {
    return null;
  }
  const [{ record, request }] = habit.early;
  const message = describe(habit);
  judgements.fail(record.scenario.id, ID, { message, exchange: recordClientExchange(request, record) });
  return { records: new Set(habit.early.map((each) => each.record)), message };
}

function describe({ early, returns }: HabitualEarliness): string {
  const shown = early.slice(0, SHOWN_RETURNS).map((each) => `${(each.early * 1_000).toFixed(0)} ms`);
  const further = early.length > shown.length ? ' …' : '';
  return (
    `The client tried again before Retry-After had passed in ${early.length} of ${returns} waits: ${shown.join(', ')}${further} too early. ` +
    'Less than 20 ms passes once, as a timer may be coarse; this is a habit. ' +
    'Subtract nothing from Retry-After, begin to count when the answer has arrived, and add a tick if the timer is coarse.'
  );
}
