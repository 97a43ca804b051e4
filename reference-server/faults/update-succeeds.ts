import { asInteger, isJsonObject } from '../../contract/json/index.ts';
import type { Alteration } from '../alterations/alteration.ts';
import { answerInstead, redirect } from '../alterations/answers.ts';
import { changeStore, exactIntegerOf } from '../alterations/inventory.ts';
import { everyNth } from '../alterations/requests.ts';
import { bodyText, changeUpdateAnswers, failOn, quantityIn } from '../alterations/updates.ts';
import { answerWhere } from '../alterations/responses.ts';
import { type Fault, breaking } from './fault.ts';
import { type Answer, answerWith } from '../service/answer.ts';
import {
  type UpdateReader,
  type UpdateReading,
  decodeJson,
  readInventoryUpdate,
} from '../service/inventory-update.ts';
import { headerOf } from '../service/messages.ts';
import type { ServiceParts } from '../service/service.ts';

/** Stores and answers another quantity than the one that was sent. */
function convert(change: (quantity: bigint) => bigint): Alteration {
  return changeStore((store) => ({
    setQuantity: (petId, quantity) => store.setQuantity(petId, exactIntegerOf(change(BigInt(quantity)))),
  }));
}

function readUpdateBy(change: (bytes: Uint8Array, read: UpdateReader) => UpdateReading): Alteration {
  return { parts: ({ readUpdate }) => ({ readUpdate: (bytes) => change(bytes, readUpdate) }) };
}

/** Accepts a negative quantity as another one. */
function belowZero(change: (quantity: bigint) => bigint): Alteration {
  return readUpdateBy((bytes, read) => {
    const quantity = asInteger(quantityIn(bytes));
    return quantity === undefined || quantity >= 0n
      ? read(bytes)
      : { quantity: exactIntegerOf(change(quantity)) };
  });
}

/** Changes what an update that was carried out is answered. */
function answerSuccess(change: (answer: Answer, parts: ServiceParts) => Answer): Alteration {
  return changeUpdateAnswers((answer, _request, parts) =>
    answer.status === 200 ? change(answer, parts) : answer,
  );
}

const MOST_FIELDS = 30;

const isFifteenth = everyNth(15);

function setsZero(bytes: Uint8Array): boolean {
  const reading = readInventoryUpdate(bytes);
  return 'quantity' in reading && reading.quantity === 0;
}

/** Fails on a text that parses, as what stores it or sends it on may. */
function breaksOn(id: string, title: string, pattern: RegExp): Fault {
  return {
    id,
    title: `An update is answered 500 if its body has ${title}`,
    breaks: 'update-succeeds',
    alter: failOn(pattern),
  };
}

export const UPDATE_SUCCEEDS_FAULTS: readonly Fault[] = [
  breaksOn('breaks-on-lone-surrogate', 'an escaped lone surrogate', /\\ud[89a-f]/i),
  breaksOn('breaks-on-low-surrogate-in-name', 'a lone low surrogate in a name', /\\ud[c-f]\w\w":/i),
  breaksOn('breaks-on-nul', 'an escaped NUL', /\\u0000/),
  breaksOn('breaks-on-four-byte-character', 'a character of four bytes', /[\u{10000}-\u{10ffff}]/u),
  breaksOn('breaks-on-long-name', 'a name of more than a thousand characters', /"\w{1000,}":/),
  breaksOn('breaks-on-proto', 'a member __proto__ beside quantity', /__proto__(?=.*"quantity":\d+\}$)/),
  breaksOn('breaks-on-number-beyond-double', 'a number beyond a double in another member', /"note":\[1e400/),
  breaksOn('breaks-on-deep-nesting', 'arrays 400 deep', /"note":\[{400}/),
  breaksOn('breaks-on-repeated-member', 'a further member twice', /"note":.*"note":/),
  ...breaking('update-succeeds', {
    'quantity-of-a-twin-taken': [
      'A further member whose name is quantity in other letters is taken for the quantity',
      readUpdateBy((bytes, read) => {
        const reading = read(bytes);
        const body = decodeJson(bytes);
        const twin = Object.entries(isJsonObject(body) ? body : {}).find(
          ([name]) => name !== 'quantity' && name.toLowerCase() === 'quantity',
        );
        const quantity = asInteger(twin?.[1]);
        return 'problem' in reading || quantity === undefined
          ? reading
          : { quantity: exactIntegerOf(quantity) };
      }),
    ],
    'media-type-in-capitals-refused': [
      'An update whose media type is written Application/JSON is answered 400',
      answerWhere(400, ({ status }, { headers }) => status === 200 && headers.includes('Application/JSON')),
    ],
    'content-type-overlooked-unless-in-usual-letters': [
      'An update with a field named content-type or CONTENT-TYPE is answered 400',
      answerWhere(
        400,
        ({ status }, { headers }) =>
          status === 200 && (headers.includes('content-type') || headers.includes('CONTENT-TYPE')),
      ),
    ],
    'media-type-with-parameter-refused': [
      'An update whose Content-Type has a parameter is answered 415',
      answerWhere(
        415,
        ({ status }, request) => status === 200 && headerOf(request, 'Content-Type')?.includes(';') === true,
      ),
    ],
    'many-fields-answered-500': [
      'An update with more than thirty header fields is answered 500',
      answerWhere(
        500,
        (_response, { method, headers }) => method === 'PATCH' && headers.length > 2 * MOST_FIELDS,
      ),
    ],
    'line-breaks-refused': [
      'A body with a line break is answered 400',
      readUpdateBy((bytes, read) => read(bodyText(bytes).includes('\n') ? new Uint8Array() : bytes)),
    ],
    'white-space-before-an-update-refused': [
      'An update with white space before its object is answered 400',
      readUpdateBy((bytes, read) => read(/^\s/.test(bodyText(bytes)) ? new Uint8Array() : bytes)),
    ],
    'update-redirected-to-a-slash': [
      'PATCH /inventory/{petId} is redirected to the same path with a slash at its end',
      redirect('updateInventory', 307, (path) => `${path}/`),
      { excludes: ['trailing-slashes-404'] },
    ],
    'quantity-in-signed-16-bits': [
      'quantity wraps around at 32,768',
      convert((quantity) => BigInt.asIntN(16, quantity)),
    ],
    'negative-quantity-becomes-zero': ['A negative quantity is accepted as 0', belowZero(() => 0n)],
    'update-answered-204': [
      'An update is answered 204 without content',
      answerSuccess(() => answerWith(204, '')),
    ],
    'update-answered-with-old-quantity': [
      'The answer to an update shows the quantity before it',
      changeStore((store) => ({
        setQuantity: (petId, quantity) => {
          const before = store.find(petId);
          store.setQuantity(petId, quantity);
          return before;
        },
      })),
    ],
    'update-to-same-quantity-answered-304': [
      'An update to the quantity that the pet already has is answered 304',
      changeUpdateAnswers((answer, { before }, { inventory }) => {
        const isSame = before !== undefined && inventory.find(before.petId)?.quantity === before.quantity;
        return isSame && answer.status === 200 ? answerWith(304, '') : answer;
      }),
    ],
    'update-to-zero-refused': [
      'An update to 0 is answered 400',
      readUpdateBy((bytes, read) =>
        setsZero(bytes)
          ? { problem: { code: 'missing_quantity', message: 'quantity is missing.' } }
          : read(bytes),
      ),
    ],
    'update-fails-once-in-fifteen': [
      'One update in fifteen is carried out and answered 503',
      answerSuccess((answer, parts) => (isFifteenth(parts) ? answerInstead(503, parts) : answer)),
    ],
  }),
];
