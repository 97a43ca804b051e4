import type { InventoryItem } from '../../../contract/inventory.ts';
import type { RequirementId } from '../../../contract/requirements/index.ts';

/** The one operation that a client is asked to perform. */
export type ClientTask =
  | { readonly operation: 'listInventory' }
  | { readonly operation: 'updateInventory'; readonly petId: bigint; readonly quantity: number };

/** The request that a task asks for: its path below the base address, and its content. */
export function requestOfTask(task: ClientTask) {
  return task.operation === 'listInventory'
    ? { method: 'GET', path: '/inventory', content: null }
    : { method: 'PATCH', path: `/inventory/${task.petId}`, content: `{"quantity":${task.quantity}}` };
}

/** How a 429 says when to come back; in seconds from the answer. */
export interface RetryAfterScript {
  readonly form: 'delta-seconds' | 'http-date' | 'rfc850-date' | 'asctime-date' | 'unreadable';
  readonly seconds: number;
}

/** An answer 429. */
interface LimitedAnswer {
  readonly kind: 'limited';
  readonly retryAfter: RetryAfterScript;
  readonly body: 'error' | 'empty' | 'html' | 'long-html' | { readonly json: string };
  /** The day is used up, and the three headers describe the minute, in which so many requests remain. */
  readonly byDay?: number;
}

/** An answer that the counterparty gives instead of the service's own. */
export type ScriptedAnswer =
  | LimitedAnswer
  | { readonly kind: 'banned'; readonly status: 403 | 429; readonly retryAfter: RetryAfterScript }
  /** An Error object with these members. */
  | { readonly kind: 'refused'; readonly status: 400; readonly code: string; readonly message: string }
  /** To the same path on another host; what arrives there is recorded. */
  | { readonly kind: 'redirected'; readonly status: 307 };

/** What the counterparty does otherwise than the reference, in all its own answers. */
export const SERVICE_TRAITS = [
  'extra-members',
  'json-spelled-otherwise',
  'extra-headers',
  'lower-case-header-names',
  'upper-case-header-names',
  'closes-connections',
  // Each request is read, and its connection closed in place of an answer.
  'answers-nothing',
  // Less content comes than its length announces, each time.
  'breaks-off',
  'slow',
  'chunked',
  'charset',
  // Contents are in this coding for those who ask for it.
  'gzip',
  'gzip-in-capitals',
  'deflate',
  'br',
  'zstd',
  // Every answer says that no request remains in the window.
  'nothing-remains',
  // How the bytes of answers are written, as HTTP permits.
  'chunk-extensions-and-trailer',
  'chunk-sizes-in-capitals',
  'no-space-after-colon',
  'no-reason-phrase',
  'another-reason-phrase',
  'header-names-in-mixed-case',
  'header-in-small-packets',
  'cut-within-line-ends',
  'informational-responses',
  'white-space-around-values',
  'ends-with-connection',
] as const;

export type ServiceTrait = (typeof SERVICE_TRAITS)[number];

/** Forms of answers with which scenarios that are about something else take turns; `null` stands for the usual form. */
export const QUICK_FORMS = [
  null,
  'no-space-after-colon',
  'no-reason-phrase',
  'another-reason-phrase',
  'chunk-sizes-in-capitals',
  'header-names-in-mixed-case',
] as const;
// It takes some milliseconds, which can hide that a client comes back a little too early.
const FORMS = [...QUICK_FORMS, 'header-in-small-packets'] as const;

/** Has scenarios without a trait take turns with the forms, so that each client meets each form in the same ones. */
export function inTurnOfForms(
  scenarios: readonly ClientScenario[],
  forms: readonly (ServiceTrait | null)[] = FORMS,
): readonly ClientScenario[] {
  let turn = -1;
  return scenarios.map((scenario) => {
    if (scenario.traits !== undefined) {
      return scenario;
    }
    turn += 1;
    const form = forms[turn % forms.length] ?? null;
    return form === null ? scenario : { ...scenario, traits: [form] };
  });
}

/** What a client has to read, where HTTP permits a form that services seldom use. */
const HAS_TO_READ: Readonly<Partial<Record<ServiceTrait, string>>> = {
  'no-space-after-colon': 'no space follows the colon of header fields (RFC 9112, section 5)',
  'no-reason-phrase': 'the reason phrase is empty (RFC 9112, section 4)',
  'another-reason-phrase': 'the reason phrase is not the usual one (RFC 9112, section 4)',
  'chunk-sizes-in-capitals':
    'contents come in chunks whose sizes have capital digits and leading zeros (RFC 9112, section 7.1)',
  'header-names-in-mixed-case': 'header names are in mixed letter-case (RFC 9110, section 5.1)',
  'header-in-small-packets': 'the header section comes in small packets (RFC 9112, section 2.2)',
  chunked: 'contents come in chunks, without Content-Length (RFC 9112, section 7.1)',
  charset: 'the media type is in mixed letter-case, and has a parameter (RFC 9110, section 8.3.1)',
  'gzip-in-capitals': 'the content coding that the client asks for is spelled GZIP (RFC 9110, section 8.4.1)',
  deflate:
    'a client that asks for deflate gets the zlib format (RFC 9110, section 8.4.1.2): decode that, or do not ask for it',
  'informational-responses': 'a 100 and a 103 come unasked before each answer: read on to the final one',
  'white-space-around-values': 'tabs and spaces stand around header values, and are no part of them',
  'chunk-extensions-and-trailer':
    'an extension follows the size of each chunk, and a trailer the last one: skip both',
  'cut-within-line-ends': 'packets end between CR and LF: read on to the end of the line',
  'ends-with-connection': 'no length is given: the content ends with its connection',
};

/** Whether the answers of a scenario have a form that it is not about. */
export function hasFormInTurn({ traits = [] }: ClientScenario): boolean {
  return traits.some((trait) => FORMS.some((form) => form === trait));
}

/**
 * What is special about the answers of a scenario, in sentences behind a space; '' if nothing is.
 * @param isSeenElsewhere whether the same is known of other scenarios, so that a form that the scenario is not about is no cause
 */
export function noteOfForm(scenario: ClientScenario, isSeenElsewhere: boolean): string {
  const { traits = [], judges } = scenario;
  const isInTurn = hasFormInTurn(scenario);
  if (isInTurn && isSeenElsewhere) {
    return '';
  }
  const [special] = traits.flatMap((trait) => {
    const text = HAS_TO_READ[trait];
    return text === undefined ? [] : [` Here ${text}${isInTurn ? ', which may have no part in it' : ''}.`];
  });
  return special === undefined || !judges.includes('client-reads-rare-http')
    ? (special ?? '')
    : `${special} The HTTP library of the client may be the cause.`;
}

/** A situation that a client gets into; what it does there is judged by all client judges. */
export interface ClientScenario {
  readonly id: string;
  readonly title: string;
  readonly task: ClientTask;
  /** The inventory of the counterparty. */
  readonly inventory: readonly InventoryItem[];
  /** Whether the key that the client gets is one that was revoked. */
  readonly revokedKey?: true;
  readonly traits?: readonly ServiceTrait[];
  /** What is answered to the request of that number, from 0; `null` leaves it to the service. */
  readonly script?: (turn: number) => ScriptedAnswer | null;
  /** What the answer to the request of that number waits for, from 0. */
  readonly hold?: (turn: number) => Promise<void>;
  /**
   * A client that still waits so long after the first answer is let go, for a wait that nobody could watch to its
   * end; in seconds.
   */
  readonly letGoAfterSeconds?: number;
  /** What the counterparty violates on purpose; everything else that the specification says, it keeps. */
  readonly breaks?: readonly RequirementId[];
  /** What the client is judged by; what is not named is not said of it in this scenario. */
  readonly judges: readonly RequirementId[];
  /** Runs this long for a client that behaves, in seconds, so that long ones are started first. */
  readonly seconds: number;
}

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

/** A 400 with an Error object of these members. */
export function refusedWith(code: string, message: string): ScriptedAnswer {
  return { kind: 'refused', status: 400, code, message };
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
  return { ...limitedFor(...limit), byDay: 41 };
}
