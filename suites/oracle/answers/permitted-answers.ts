import type { RequirementId } from '../../../contract/requirements/index.ts';
import type { RequestMessage } from '../exchange.ts';
import type { Credential, UnansweredRequest } from '../history.ts';
import { readUpdateBody, type UpdateBody } from './request-body.ts';
import { readFields, refusalsOfForm, type FieldsReading } from './request-fields.ts';
import { isNotPositive, readRequestTarget, type PetIdText } from './request-target.ts';

/** A request as the specification reads it. */
export type RequestReading = ReturnType<typeof readRequest>;

/** @param request with its path relative to the base address */
export function readRequest(request: RequestMessage) {
  const target = readRequestTarget(request);
  const isUpdate = target.kind !== 'undocumented' && target.operation === 'updateInventory';
  return {
    target,
    fields: readFields(request),
    /** Statuses of answers that say nothing of what it asks, as its form may be the reason. */
    refusals: refusalsOfForm(request),
    /** Of an update what its body asks for; else whether there is one at all. */
    body: isUpdate
      ? readUpdateBody(request)
      : request.body === null
        ? ('none' as const)
        : ('unasked' as const),
  };
}

const ANY_QUANTITY = /^\{"quantity":-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?\}$/i;

/** What a request asks for that has to be answered; `null` if it is left open how, or whether, that is done. */
export function readToBeAnswered({ request, credential }: UnansweredRequest): RequestReading | null {
  const reading = readRequest(request);
  const { target, fields, refusals, body } = reading;
  // Any number of JSON is a quantity that may be accepted or refused, and has to be answered.
  const isOpenBody =
    typeof body === 'object' && body.kind === 'open' && !ANY_QUANTITY.test(String(request.body));
  const isOpen = credential.kind === 'open' || isOpenBody || refusals.length > 0;
  return target.kind !== 'documented' || fields !== 'plain' || body === 'unasked' || isOpen ? null : reading;
}

/** Whether a pet was in the store while a request was under way. */
export type Presence = 'present' | 'absent' | 'unknown';

/** What an answer has to be, so that no requirement is broken. */
export interface Demand {
  readonly requirement: RequirementId;
  readonly permits: (status: number) => boolean;
  /** What it permits, in words for a sentence. */
  readonly wanted: string;
  /** Set if an answer that meets it shows nothing, and one that does not may be explained by it. */
  readonly onlyExplains?: true;
}

/**
 * What the specification demands of the answer to a request; of what one answer does not meet, the first is the likeliest to be
 * broken. A refusal for its rate, or of a key that may be banned,
 * says nothing of the request; and whether a valid key is taken for one is judged by itself.
 * @param presence of the pet in its path
 */
export function demandsOn(
  { target, fields, body }: RequestReading,
  credential: Credential,
  presence: Presence,
): readonly Demand[] {
  if (target.kind === 'undocumented' || fields === 'open') {
    return [];
  }
  const isUpdate = target.operation === 'updateInventory';
  const update: Update | null =
    isUpdate && typeof body === 'object'
      ? { petId: target.petId, body, fields, presence: presenceByRoute(target.petId, presence) }
      : null;
  if (credential.kind === 'missing' || credential.kind === 'invalid') {
    if (target.kind !== 'documented' || body === 'unasked') {
      return [];
    }
    const isOther = target.operation === 'getPet' || target.operation === 'listOrders';
    const ofKey = demandsOfKey(credential, isOther, update);
    return isNotPositive(target.petId) ? ofKey.map(orRefusedOtherwise) : ofKey;
  }
  const demands =
    update !== null
      ? demandsOfUpdate(target.kind, update)
      : target.kind === 'documented' && target.operation === 'listInventory' && body === 'none'
        ? [demand('list-succeeds', '200', (status) => status === 200)]
        : [];
  return credential.kind === 'valid' ? demands : demands.map(orRefusedOtherwise);
}

/** A router may know no path to a pet that is there. */
function presenceByRoute(petId: PetIdText, presence: Presence): Presence {
  return presence === 'present' && isNotPositive(petId) ? 'unknown' : presence;
}

interface Update {
  readonly petId: PetIdText;
  readonly body: UpdateBody;
  readonly fields: FieldsReading;
  readonly presence: Presence;
}

function demand(requirement: RequirementId, wanted: string, permits: Demand['permits']): Demand {
  return { requirement, wanted, permits };
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

function isClientError(status: number): boolean {
  return status >= 400 && status < 500;
}

/** Another spelling of the credentials, or an id that no router knows, may be refused by a gateway even. */
function orRefusedOtherwise(one: Demand): Demand {
  return { ...one, permits: (status) => one.permits(status) || isClientError(status) };
}

/** A missing or an invalid key is answered 401, whatever else is wrong. */
function demandsOfKey(
  credential: Extract<Credential, { readonly kind: 'missing' | 'invalid' }>,
  isOther: boolean,
  update: Update | null,
): readonly Demand[] {
  const isMalformed = credential.kind === 'invalid' && credential.isMalformed === true;
  const kind: RequirementId = credential.kind === 'missing' ? 'missing-key' : credential.requirement;
  const kinds: readonly RequirementId[] = isOther ? ['every-operation-authenticates', kind] : [kind];
  const isFaultless =
    update === null ||
    (update.fields === 'plain' && update.body.kind === 'plain' && update.presence === 'present');
  const permits = (status: number): boolean =>
    status === 401 || (isMalformed && status === 400) || (update !== null && mayComplain(update, status));
  const complains = update?.fields === 'plain' && !isFaultless && !isMalformed;
  return [
    ...kinds.map((id) => demand(id, '401', permits)),
    ...(complains
      ? [demand('authentication-first', '401', (status) => status !== 400 && status !== 404)]
      : []),
  ];
}

function isOfBadBody({ isNone }: Extract<UpdateBody, { readonly kind: 'bad' }>, status: number): boolean {
  // Without a Content-Length a server may ask for one (RFC 9110, section 15.5.12).
  return status === 400 || (isNone === true && status === 411);
}

/** Whether an update may be refused so for something else than its key. */
function mayComplain({ body, fields, presence }: Update, status: number): boolean {
  if (fields !== 'plain') {
    return isClientError(status) || (fields === 'in chunks' && status >= 500);
  }
  const isOfBody =
    body.kind === 'bad' ? isOfBadBody(body, status) : body.kind !== 'plain' && isClientError(status);
  return isOfBody || (presence !== 'present' && status === 404);
}

function demandsOfUpdate(kind: 'documented' | 'spelled', update: Update): readonly Demand[] {
  const { petId, body, fields, presence } = update;
  if (typeof petId !== 'bigint') {
    return [];
  }
  const isUnknown = presence === 'absent';
  const isPositive = petId > 0n;
  if (kind === 'spelled' || fields !== 'plain') {
    return [
      ...(isUnknown && isPositive ? [neverAccepted('update-unknown-pet')] : []),
      ...(body.kind === 'bad' && fields !== 'other media type' ? [neverAccepted(body.requirement)] : []),
    ];
  }
  const own = demandOfBody(body, presence, !isPositive);
  return [
    // A known pet that is not found was looked for under another id.
    ...(presence === 'present' && body.kind !== 'open' && body.kind !== 'further'
      ? [demand('update-exact-pet', '200 or 400, as it is in the store', (status) => status !== 404)]
      : []),
    ...(own === undefined ? [] : [own]),
    ...(isUnknown ? [demandOfUnknownPet(body, isPositive)] : []),
    // Only a large id may be taken for another one.
    ...(isUnknown && petId >= LEAST_CONFUSABLE && body.kind !== 'bad'
      ? [neverAccepted('update-exact-pet')]
      : []),
    // A target that accepts one of zero or below may accept any, and what may be unknown may be refused for that.
    ...(isUnknown && !isPositive ? [explainedBy('update-unknown-pet', (status) => !isSuccess(status))] : []),
    ...(presence === 'unknown' && body.kind === 'plain'
      ? [explainedBy('update-unknown-pet', (status) => own?.permits(status) === true)]
      : []),
  ];
}

function explainedBy(requirement: RequirementId, permits: Demand['permits']): Demand {
  return { ...demand(requirement, '404', permits), onlyExplains: true };
}

// Smaller ones fit whatever number a server reads them into.
const LEAST_CONFUSABLE = 2n ** 31n;

function neverAccepted(requirement: RequirementId): Demand {
  return demand(requirement, 'a refusal', (status) => !isSuccess(status));
}

/** What the body demands of an update in the documented form; a pet that may be unknown may be reported instead. */
function demandOfBody(body: UpdateBody, presence: Presence, mayBeOdd: boolean): Demand | undefined {
  const isOther = (status: number): boolean =>
    (presence !== 'present' && status === 404) || (mayBeOdd && isClientError(status));
  switch (body.kind) {
    case 'bad':
      return demand(body.requirement, '400', (status) => isOfBadBody(body, status) || isOther(status));
    case 'plain':
      return presence === 'absent'
        ? undefined
        : demand('update-succeeds', '200', (status) => status === 200 || isOther(status));
    case 'beyond':
    case 'further':
      return presence === 'absent'
        ? undefined
        : demand('update-succeeds', '200 or 400', (status) => status === 200 || isClientError(status));
    case 'open':
      return undefined;
  }
}

/** Which refusal an update of a pet of zero or below gets is open, and so it is if the body may be refused, too. */
function demandOfUnknownPet(body: UpdateBody, isPositive: boolean): Demand {
  if (!isPositive) {
    return neverAccepted('update-exact-pet');
  }
  return body.kind === 'plain'
    ? demand('update-unknown-pet', '404', (status) => status === 404)
    : neverAccepted('update-unknown-pet');
}
