import {
  FURTHER_FIELDS,
  type FurtherFields,
  REQUEST_BODIES,
  type RequestBody,
  ODD_PET_IDS,
  UNKNOWN_ROUTES,
} from '../../../fixtures/corpora/index.ts';
import { asInteger, isJsonObject } from '../../../contract/json/index.ts';
import type { RequirementId } from '../../../contract/requirements/index.ts';
import { needsOfUpdates, type Check } from '../check.ts';
import { inSegments } from './updates.ts';
import { cheapestRequest } from '../provoking/use-up.ts';
import {
  isAccepted,
  jsonOf,
  mediaTypeOf,
  type Exchange,
  type RequestMessage,
  type Key,
  kindOfBody,
  NEVER_MATCHING,
} from '../../oracle/index.ts';
import {
  answerTo,
  anyPet,
  CONNECTION_CLOSED,
  fetchListing,
  LISTING_JUDGES,
  sendDue,
  type CheckContext,
  type RequestForm,
} from '../check-context.ts';
import {
  getPet,
  listInventory,
  listOrders,
  type Pet,
  undocumented,
  updateInventory,
  updateWithBody,
  withFields,
} from '../../target/index.ts';

const CHUNKED: RequestMessage['headers'] = [['Transfer-Encoding', 'chunked']];

/** What clients ask for that would rather speak HTTP/2; a server may go over to it, or ignore it. */
const UPGRADING: RequestMessage['headers'] = [
  ['Connection', 'Upgrade, HTTP2-Settings'],
  ['Upgrade', 'h2c'],
  ['HTTP2-Settings', 'AAMAAABkAAQAoAAAAAIAAAAA'],
];

const LONG_QUERY = `/inventory?stockcheck=${'1'.repeat(1_500)}`;

/** Spellings that servers often take for the same path. */
const SPELLINGS: readonly RequestForm[] = [
  ofList('list with a query string', { ...listInventory(), path: '/inventory?stockcheck=1' }),
  ofUpdate('update with a query string', respelled('?stockcheck=1', true)),
  ofList('list with a trailing slash', undocumented('GET', '/inventory/')),
  ofUpdate('update with a trailing slash', respelled('/', false)),
  ofList('list with an empty query', { ...listInventory(), path: '/inventory?' }),
  ofList('list with a doubled slash', undocumented('GET', '//inventory')),
  ofList('list in capitals', undocumented('GET', '/INVENTORY')),
  ofList('list percent-encoded', undocumented('GET', '/%69nventory')),
  ofList('list with a path parameter', undocumented('GET', '/inventory;stockcheck=1')),
  ofList('list with an extension', undocumented('GET', '/inventory.json')),
  ofOther('getPet', ({ petId }) => getPet(petId)),
  ofOther('getPet with a trailing slash', ({ petId }) => undocumented('GET', `/pets/${petId}/`)),
  ofOther('getPet with a query string', ({ petId }) => undocumented('GET', `/pets/${petId}?stockcheck=1`)),
  { name: 'listOrders', build: listOrders },
  { name: 'listOrders with a trailing slash', build: () => undocumented('GET', '/store/orders/') },
  { name: 'listOrders with a query string', build: () => undocumented('GET', '/store/orders?stockcheck=1') },
  // Without its length; a server may demand that.
  ofUpdate('update in chunks', (plain) => ({ ...withFields(plain, CHUNKED), operation: null })),
  ofUpdate('update in chunks with a trailer', (plain) => ({
    ...withFields(plain, [...CHUNKED, ['Trailer', 'Server-Timing']]),
    operation: null,
  })),
  openUpdate('update with Expect', (plain) => withFields(plain, [['Expect', '100-continue']])),
  openUpdate('update of HTTP/1.0', (plain) => ({ ...plain, isHttp10: true })),
  ofUpdate('update in segments', inSegments),
  // Only the headers of the answer are judged.
  ofList('beginning of the list', withFields(listInventory(), [['Range', 'bytes=0-9']])),
  { ...ofList('list with Upgrade', withFields(listInventory(), UPGRADING)), isOpen: true },
  { ...ofList('list with a long query', { ...listInventory(), path: LONG_QUERY }), isOpen: true },
  paddedUpdate(300),
  paddedUpdate(2_000),
  // No server has that version, so that each answers in full.
  ofList('list for a cache', withFields(listInventory(), Object.entries(NEVER_MATCHING))),
  ...FURTHER_FIELDS.map(withFurther),
];

function ofList(name: string, message: RequestMessage): RequestForm {
  return { name, isList: true, build: () => message };
}

function ofOther(name: string, build: (pet: Pet) => RequestMessage): RequestForm {
  return { name, build: (pet) => (pet === undefined ? undefined : build(pet)) };
}

/** An update of a pet to its own quantity, altered. */
function ofUpdate(name: string, alter: (plain: RequestMessage) => RequestMessage): RequestForm {
  return ofOther(name, ({ petId, item }) => alter(updateInventory(petId, item.quantity)));
}

function openUpdate(name: string, alter: (plain: RequestMessage) => RequestMessage): RequestForm {
  return { ...ofUpdate(name, alter), isOpen: true };
}

function withFurther({ name, fields, mayBeRefused }: FurtherFields): RequestForm {
  const of = mayBeRefused === true ? openUpdate : ofUpdate;
  return of(`update ${name}`, (plain) => withFields(plain, Object.entries(fields)));
}

/** Bounds of a payload are not shown. */
function paddedUpdate(bytes: number): RequestForm {
  return openUpdate(`update of ${bytes} bytes`, (plain) => ({
    ...plain,
    body: String(plain.body).padEnd(bytes),
  }));
}

function respelled(suffix: string, documented: boolean) {
  return (plain: RequestMessage): RequestMessage => ({
    ...plain,
    operation: documented ? plain.operation : null,
    path: plain.path + suffix,
  });
}

// A path that is not documented may be refused, and the next of them comes after a plain request then.
const MOST_PLAIN = 12;

/** Which forms of a request this target accepts; bursts later mix them all. */
export const acceptedForms: Check = {
  id: 'accepted-forms',
  title: 'Which spellings of a path, and which other operations, the target accepts',
  judges: ['path-spellings', 'query-parameters', 'other-operation-shapes'],
  alsoJudges: ['valid-key-accepted'],
  needs: {
    profile: 'full',
    alone: true,
    keys: [{ plan: 'any', use: 'share', requests: SPELLINGS.length + MOST_PLAIN + 1 }],
    pets: 1,
    worksWithoutPets: true,
  },
  run: async (context) => {
    const accepted: RequestForm[] = [];
    let isAfterGrant = false;
    for (const form of SPELLINGS) {
      const message = form.build(context.pets[0]);
      if (message === undefined) {
        continue;
      }
      if (!isAfterGrant && message.operation === null) {
        // Only next to a request that surely counts does Remaining show whether this one does.
        await context.send(cheapestRequest(context), { key: context.key() });
      }
      const tried = { ...message, operation: form.isOpen === true ? null : message.operation };
      isAfterGrant = await isAcceptedForm(context, form.name, tried);
      if (isAfterGrant) {
        accepted.push(form);
      }
    }
    context.foundForms(accepted);
  },
};

/** Sends a form once and records what came of it. */
async function isAcceptedForm(
  context: CheckContext,
  name: string,
  message: RequestMessage,
): Promise<boolean> {
  const exchange = await answerTo(context, message);
  if (exchange === null) {
    context.observe('path-spellings', CONNECTION_CLOSED, name);
    return false;
  }
  const { status } = exchange.response;
  if (message.operation === 'getPet' || message.operation === 'listOrders') {
    context.observe('other-operation-shapes', `${status} ${kindOfBody(exchange)}`, name);
  } else {
    context.observe(message.path.includes('?') ? 'query-parameters' : 'path-spellings', status, name);
  }
  return isAccepted(exchange);
}

const BOUNDS = new Set<RequirementId>(['negative-quantity', 'large-quantity']);
const OBSERVED_BODIES = REQUEST_BODIES.filter(({ reading }) => reading.level === 'observe');

// Bounds of a payload are not shown, so that a server may close the connection on a longer one.
const LONGEST_ANSWERED_CHARACTERS = 4_096;

/** Sends an update that may be accepted or refused; `null` if the connection was closed each time. */
async function sendOpenUpdate(
  context: CheckContext,
  { petId }: Pet,
  { body }: RequestBody,
): Promise<Exchange | null> {
  if (body !== null && body.length > LONGEST_ANSWERED_CHARACTERS) {
    return answerTo(context, undocumented('PATCH', `/inventory/${petId}`, body));
  }
  return sendDue(context, updateWithBody(petId, body), { key: context.key() });
}

/** A body may be refused that names another pet than the path; if it is accepted, the path says which pet is meant. */
async function nameOtherPetInBody(context: CheckContext, key: Key): Promise<void> {
  const [pet, other] = context.pets;
  if (pet !== undefined && other !== undefined) {
    const body = `{"petId":${other.petId},"quantity":${context.quantities.unusual()}}`;
    await context.send(updateWithBody(pet.petId, body), { key });
    await fetchListing(context, key);
  }
}

/** What the text is silent about in an update. */
export const observedUpdates: Check = {
  id: 'observed-updates',
  title: 'What the target does with updates that the specification leaves open',
  judges: [
    'negative-quantity',
    'large-quantity',
    'integral-number-forms',
    'further-request-members',
    'duplicate-request-members',
    'body-encoding',
    'request-content-type',
    'update-succeeds',
    'update-persists',
    'update-exact-pet',
    'refused-changes-nothing',
  ],
  alsoJudges: LISTING_JUDGES,
  needs: needsOfUpdates(2 * OBSERVED_BODIES.length + 9, 2, 'spare'),
  run: async (context) => {
    const key = context.key();
    const pet = context.pet();
    await nameOtherPetInBody(context, key);
    for (const open of OBSERVED_BODIES) {
      const { name, reading, quantity: denoted } = open;
      const exchange = await sendOpenUpdate(context, pet, open);
      if (exchange === null) {
        context.observe(reading.requirement, CONNECTION_CLOSED, name);
        continue;
      }
      const answer = jsonOf(exchange);
      const quantity = isJsonObject(answer) ? asInteger(answer['quantity']) : undefined;
      const shown = isAccepted(exchange)
        ? `accepted as ${quantity ?? 'nothing'}`
        : `${exchange.response.status}`;
      context.observe(reading.requirement, shown, name);
      if (denoted !== undefined && BOUNDS.has(reading.requirement)) {
        // Bounds are open: what is accepted is the quantity that was sent, and what is refused is not stored.
        await fetchListing(context, key);
      }
    }
    const plain = updateInventory(pet.petId, pet.item.quantity);
    for (const type of [
      null,
      'text/plain',
      'application/merge-patch+json',
      'application/x-www-form-urlencoded',
      'application/json; charset="utf-8"',
    ]) {
      const message: RequestMessage = {
        ...plain,
        operation: null,
        headers: type === null ? [] : [['Content-Type', type]],
      };
      const exchange = await answerTo(context, message);
      context.observe('request-content-type', exchange?.response.status ?? CONNECTION_CLOSED, type ?? 'none');
    }
  },
};

/** Wrong methods for each documented path; none of them is likely to destroy anything. */
async function sendWrongMethods(context: CheckContext, key: Key): Promise<void> {
  const petId = anyPet(context);
  for (const [method, path] of [
    ['POST', '/inventory'],
    ['DELETE', '/inventory'],
    ['GET', `/inventory/${petId}`],
    ['POST', `/inventory/${petId}`],
    ['POST', `/pets/${petId}`],
    ['PUT', '/store/orders'],
  ] as const) {
    await sendDue(context, undocumented(method, path), { key });
  }
}

const ODD_IDS = 16;

/** Odd ids, unknown routes and wrong methods. */
export const oddRequests: Check = {
  id: 'odd-requests',
  title: 'What the target does with odd petIds, unknown routes and wrong methods',
  judges: ['odd-pet-ids', 'unknown-routes', 'method-not-allowed', 'other-operation-shapes'],
  alsoJudges: ['valid-key-accepted'],
  needs: needsOfUpdates(ODD_IDS + 14, 0, 'spare'),
  run: async (context) => {
    const key = context.key();
    for (const { name, path } of ODD_PET_IDS.slice(0, ODD_IDS)) {
      // Without quantity, so that a lenient target changes nothing.
      const exchange = await answerTo(context, undocumented('PATCH', path, '{}'));
      context.observe('odd-pet-ids', exchange?.response.status ?? CONNECTION_CLOSED, name);
    }
    for (const { name, method, path } of UNKNOWN_ROUTES.slice(0, 4)) {
      const exchange = await answerTo(context, undocumented(method, path));
      const shown =
        exchange === null ? CONNECTION_CLOSED : `${exchange.response.status} ${kindOfBody(exchange)}`;
      context.observe('unknown-routes', shown, name);
    }
    await sendWrongMethods(context, key);
    const head = await answerTo(context, undocumented('HEAD', '/inventory'));
    context.observe('unknown-routes', head?.response.status ?? CONNECTION_CLOSED, 'HEAD /inventory');
    const unknown = await context.send({ ...getPet(404_404_404n) }, { key });
    context.observe(
      'other-operation-shapes',
      `${unknown.response.status} ${mediaTypeOf(unknown) ?? 'no body'}`,
      'getPet of an unknown pet',
    );
  },
};
