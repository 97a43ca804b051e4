import type { RequirementId } from '../../../contract/requirements/index.ts';
import type {
  ClientScenario,
  ClientTask,
  LimitedAnswer,
  RetryAfterScript,
  ScriptedAnswer,
} from './scenario.ts';

/** What every request and every ending is judged by. */
const EVERY_OPERATION: readonly RequirementId[] = [
  'client-operation',
  'client-sends-bearer',
  'client-completes',
  'client-reuses-connections',
  'client-liberties',
];

const EVERY_UPDATE: readonly RequirementId[] = [
  ...EVERY_OPERATION,
  'client-update-body',
  'client-exact-pet-id',
];

/** Scenarios in which the service refuses with an Error object. */
export const A_REFUSAL: readonly RequirementId[] = ['client-reports-error', 'client-does-not-repeat-refused'];

/** Scenarios in which a 429 or a ban with a Retry-After comes before the result. */
export const A_LIMIT: readonly RequirementId[] = [
  'client-waits',
  'client-avoids-ban',
  'client-reports-result',
  'client-reports-error',
  'client-retries-limited',
];

/** What is said of a scenario beside its id and title; the rest is as in its group, and takes a second. */
type OwnPart = Partial<Omit<ClientScenario, 'id' | 'title'>> & {
  /** Answered in this order; what comes after them is left to the service. */
  readonly answers?: readonly ScriptedAnswer[];
  /** What is judged beside every request and every ending, if it is not what the group says. */
  readonly shows?: readonly RequirementId[];
};

type MakeScenario = (id: string, title: string, own?: OwnPart) => ClientScenario;

/** Makes the scenarios of a group, which say only what is not common to all of them. */
export function scenarioGroup({
  update,
  shows: common,
  inventory,
}: {
  readonly inventory: ClientScenario['inventory'];
  readonly update?: ClientTask;
  /** What is judged beside every request and every ending. */
  readonly shows: readonly RequirementId[];
}): { readonly list: MakeScenario; readonly update: MakeScenario } {
  const listTask: ClientTask = { operation: 'listInventory' };
  const makeFor =
    (task: ClientTask, always: readonly RequirementId[]): MakeScenario =>
    (id, title, { answers, shows = common, ...own } = {}) => ({
      id,
      title,
      task,
      inventory,
      judges: [...always, ...shows],
      seconds: 1,
      ...(answers === undefined ? {} : { script: (turn: number) => answers[turn] ?? null }),
      ...own,
    });
  return { list: makeFor(listTask, EVERY_OPERATION), update: makeFor(update ?? listTask, EVERY_UPDATE) };
}

/** A 429 that asks for a wait of that many seconds, with an Error object if nothing else is said. */
export function limitedFor(
  seconds: number,
  form: RetryAfterScript['form'] = 'delta-seconds',
  body: LimitedAnswer['body'] = 'error',
): LimitedAnswer {
  return { kind: 'limited', retryAfter: { form, seconds }, body };
}

/** The same because the day is used up, while the headers describe the minute. */
export function limitedByDay(...limit: Parameters<typeof limitedFor>): LimitedAnswer {
  return { ...limitedFor(...limit), byDay: true };
}
