import { isJsonObject, parseJson, type JsonValue } from '../../contract/lossless-json.ts';
import type { Alteration } from '../alterations/alteration.ts';
import { answerWith } from '../service/answer.ts';
import { decodeJson } from '../service/inventory-update.ts';
import { withHeader } from '../alterations/response-changes.ts';
import type { Fault } from './fault.ts';
import { acceptBodies, changeUpdateAnswers, bodyText, type Leniency } from '../alterations/update-changes.ts';

/** Accepts bodies that are no JSON, once something was repaired. */
function repair(change: (text: string) => string): Alteration {
  return acceptBodies((bytes) => {
    if (decodeJson(bytes) !== undefined) {
      return undefined;
    }
    return quantityOfBody(parse(change(bodyText(bytes))));
  });
}

/** Accepts JSON that is no object. */
function acceptValues(judge: (value: JsonValue) => Leniency): Alteration {
  return acceptBodies((bytes) => {
    const value = decodeJson(bytes);
    return value === undefined || isJsonObject(value) ? undefined : judge(value);
  });
}

function parse(text: string): JsonValue | undefined {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

function quantityOfBody(body: JsonValue | undefined): number | undefined {
  const quantity = isJsonObject(body) ? body['quantity'] : undefined;
  return typeof quantity === 'number' && Number.isInteger(quantity) ? quantity : undefined;
}

function isNoJson(bytes: Uint8Array): boolean {
  return decodeJson(bytes) === undefined;
}

const ERROR_PAGE = '<!DOCTYPE html><html><head><title>Error</title></head><body>Bad Request</body></html>';

export const MALFORMED_BODY_FAULTS: readonly Fault[] = [
  {
    id: 'empty-body-sets-zero',
    title: 'An empty body sets 0',
    breaks: 'update-malformed-body',
    alter: acceptBodies((bytes) => (bytes.byteLength === 0 ? 0 : undefined)),
  },
  {
    id: 'update-in-array-accepted',
    title: 'The first update of an array is accepted',
    breaks: 'update-malformed-body',
    alter: acceptValues((value) => (Array.isArray(value) ? quantityOfBody(value[0]) : undefined)),
  },
  {
    id: 'malformed-json-accepted',
    title: 'A body that is no JSON is answered 200 and changes nothing',
    breaks: 'update-malformed-body',
    alter: acceptBodies((bytes) => (isNoJson(bytes) && bytes.byteLength > 0 ? 'keep' : undefined)),
  },
  {
    id: 'trailing-bytes-ignored',
    title: 'What comes after the first JSON object of a body is ignored',
    breaks: 'update-malformed-body',
    alter: repair((text) => text.slice(0, text.indexOf('}') + 1)),
  },
  {
    id: 'brace-too-many-ignored',
    title: 'One brace too many at the end of a body is ignored',
    breaks: 'update-malformed-body',
    alter: repair((text) => text.replace(/\}\s*\}\s*$/, '}')),
  },
  {
    id: 'call-around-json-ignored',
    title: 'The JSON of a body is accepted within a call of a function',
    breaks: 'update-malformed-body',
    alter: repair((text) => /^\w+\((.*)\)$/s.exec(text)?.[1] ?? text),
  },
  {
    id: 'line-breaks-refused',
    title: 'A body with a line break is answered 400',
    breaks: 'update-succeeds',
    alter: {
      parts: ({ readUpdate }) => ({
        readUpdate: (bytes) => readUpdate(bodyText(bytes).includes('\n') ? new Uint8Array() : bytes),
      }),
    },
  },
  {
    id: 'nul-around-json-ignored',
    title: 'NUL characters around the JSON of a body are ignored',
    breaks: 'update-malformed-body',
    alter: repair((text) => text.replaceAll('\u0000', '')),
  },
  {
    id: 'unfinished-json-completed',
    title: 'A body that ends too early is completed',
    breaks: 'update-malformed-body',
    alter: repair((text) => `${text}}`),
  },
  {
    id: 'form-data-accepted',
    title: 'Form data is accepted as an update',
    breaks: 'update-malformed-body',
    alter: repair((text) => text.replace(/^quantity=(\d+)$/, '{"quantity":$1}')),
  },
  {
    id: 'malformed-json-answered-with-page',
    title: 'A body that is no JSON is answered with an HTML page',
    breaks: 'content-type-json',
    excludes: ['json text'],
    alter: {
      parts: ({ render }) => ({
        render: (answer, limit, now) => {
          const response = render(answer, limit, now);
          return answer.body === ERROR_PAGE ? withHeader(response, 'Content-Type', 'text/html') : response;
        },
      }),
      ...changeUpdateAnswers(
        () =>
          async (answer, { readBytes }) =>
            answer.status === 400 && isNoJson(await readBytes()) ? answerWith(400, ERROR_PAGE) : answer,
      ),
    },
  },
];
