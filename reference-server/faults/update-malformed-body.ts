import { type JsonValue, isJsonObject, parseIfJson } from '../../contract/json/index.ts';
import type { Alteration } from '../alterations/alteration.ts';
import { dropConnections, onUpdateBody } from '../alterations/responses.ts';
import { type Leniency, acceptBodies, bodyText, isNoJson } from '../alterations/updates.ts';
import type { Fault } from './fault.ts';
import { decodeJson } from '../service/inventory-update.ts';

const isNullBody = onUpdateBody((bytes) => bodyText(bytes) === 'null');

/** Accepts bodies that are no JSON, once something was repaired. */
function repair(change: (text: string) => string): Alteration {
  return acceptBodies((bytes) => {
    if (decodeJson(bytes) !== undefined) {
      return undefined;
    }
    return quantityOfBody(parseIfJson(change(bodyText(bytes))));
  });
}

/** Accepts JSON that is no object. */
function acceptValues(judge: (value: JsonValue) => Leniency): Alteration {
  return acceptBodies((bytes) => {
    const value = decodeJson(bytes);
    return value === undefined || isJsonObject(value) ? undefined : judge(value);
  });
}

function quantityOfBody(body: JsonValue | undefined): number | undefined {
  const quantity = isJsonObject(body) ? body['quantity'] : undefined;
  return typeof quantity === 'number' && Number.isInteger(quantity) ? quantity : undefined;
}

function isPair(value: JsonValue): value is [string, JsonValue] {
  return Array.isArray(value) && value.length === 2 && typeof value[0] === 'string';
}

export const UPDATE_MALFORMED_BODY_FAULTS: readonly Fault[] = [
  {
    id: 'body-null-closes-the-connection',
    title: 'An update with the body null closes the connection without a response',
    breaks: 'update-malformed-body',
    alter: dropConnections(isNullBody, 'goes on'),
  },
  {
    id: 'body-null-ends-the-service',
    title: 'An update with the body null ends the service',
    breaks: 'update-malformed-body',
    alter: dropConnections(isNullBody, 'is gone'),
  },
  {
    id: 'empty-body-ends-the-service',
    title: 'An update with an empty body ends the service',
    breaks: 'update-malformed-body',
    alter: dropConnections(
      onUpdateBody((bytes) => bytes.byteLength === 0),
      'is gone',
    ),
  },
  {
    id: 'single-quotes-accepted-in-a-further-member',
    title: 'Single quotes are accepted around the text of a further member',
    breaks: 'update-malformed-body',
    alter: repair((text) => text.replaceAll(/(?<=,.*:\s*)'(\w*)'/g, '"$1"')),
  },
  {
    id: 'empty-body-sets-zero',
    title: 'An empty body sets 0',
    breaks: 'update-malformed-body',
    alter: acceptBodies((bytes) => (bytes.byteLength === 0 ? 0 : undefined)),
  },
  {
    id: 'update-in-array-accepted',
    title: 'The first element of an array is accepted as the update',
    breaks: 'update-malformed-body',
    alter: acceptValues((value) => (Array.isArray(value) ? quantityOfBody(value[0]) : undefined)),
  },
  {
    id: 'pairs-accepted',
    title: 'An array of names and values is accepted as an update',
    breaks: 'update-malformed-body',
    alter: acceptValues((value) =>
      Array.isArray(value) && value.every(isPair) ? quantityOfBody(Object.fromEntries(value)) : undefined,
    ),
  },
  {
    id: 'control-characters-in-strings-accepted',
    title: 'Control characters in the strings of a body are accepted',
    breaks: 'update-malformed-body',
    alter: repair((text) => text.replaceAll(/\p{Cc}/gu, ' ')),
  },
  {
    id: 'malformed-json-accepted',
    title: 'A body that is not JSON is answered 200 and changes nothing',
    breaks: 'update-malformed-body',
    alter: acceptBodies((bytes) => (isNoJson(bytes) && bytes.byteLength > 0 ? 'keep' : undefined)),
  },
  {
    id: 'trailing-bytes-ignored',
    title: 'Anything after the first JSON object in a body is ignored',
    breaks: 'update-malformed-body',
    alter: repair((text) => text.slice(0, text.indexOf('}') + 1)),
  },
  {
    id: 'brace-too-many-ignored',
    title: 'An extra brace at the end of a body is ignored',
    breaks: 'update-malformed-body',
    alter: repair((text) => text.replace(/\}\s*\}\s*$/, '}')),
  },
  {
    id: 'call-around-json-ignored',
    title: 'JSON inside a function call is accepted as the body',
    breaks: 'update-malformed-body',
    alter: repair((text) => /^\w+\((.*)\)$/s.exec(text)?.[1] ?? text),
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
];
