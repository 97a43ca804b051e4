import { isUtf8 } from 'node:buffer';

import {
  isJsonObject,
  parseIfJson,
  stringifyJson,
  type JsonObject,
  type JsonValue,
} from '../../../contract/json/index.ts';
import type { ClientReply } from './driver.ts';
import { hideSecrets } from './output.ts';

/** A reply as the driver contract describes it, or what is wrong with it, in a sentence. */
export type ReadReply = { readonly reply: ClientReply } | { readonly problem: string };

/** How problems of a reply are told. */
export interface Telling {
  /** What the line is called, to be put into a sentence: "the last line of stdout". */
  readonly where: string;
  /** Never shown. */
  readonly secrets: Iterable<string>;
}

const SHOWN_BEGINNING = 150;
// What makes a line no JSON often stands there.
const SHOWN_END = 50;

/** Reads the last line of a client's stdout. */
export function readReplyLine(line: Buffer, secrets: Iterable<string>): ReadReply {
  const telling = { where: 'the last line of stdout', secrets };
  const text = lineText(line);
  const value = parseIfJson(text);
  return isJsonObject(value)
    ? readReply(value, telling)
    : {
        problem: `The last line of stdout is no JSON object on one line${isUtf8(line) ? '' : ', in UTF-8'}: "${excerpt(text.trim(), telling)}".`,
      };
}

/** Reads a client's reply. Members that the driver contract does not name are ignored. */
export function readReply(members: JsonObject, telling: Telling): ReadReply {
  const { ok, value, error } = members;
  if (ok === undefined || typeof ok !== 'boolean') {
    return complain(telling, 'ok', ok, 'neither true nor false');
  }
  if (ok) {
    return value === undefined ? complain(telling, 'value', value, '') : { reply: { ok, value } };
  }
  const { code = null, message = null, status = null } = isJsonObject(error) ? error : {};
  return error === undefined
    ? complain(telling, 'error', error, '')
    : { reply: { ok, error: { code, message, status } } };
}

/** The text of a line in UTF-8, without a byte order mark. */
export function lineText(line: Buffer): string {
  return new TextDecoder().decode(line);
}

function complain(
  telling: Telling,
  member: string,
  value: JsonValue | undefined,
  fault: string,
): { readonly problem: string } {
  return {
    problem:
      value === undefined
        ? `In ${telling.where} ${member} is missing.`
        : `In ${telling.where} ${member} is ${fault}: ${excerpt(stringifyJson(value), telling)}.`,
  };
}

/** The beginning and the end of a text, without secrets. */
export function excerpt(text: string, { secrets }: Pick<Telling, 'secrets'>): string {
  return withoutMiddle(hideSecrets(text, secrets));
}

export function withoutMiddle(text: string): string {
  return text.length > SHOWN_BEGINNING + SHOWN_END
    ? `${text.slice(0, SHOWN_BEGINNING)}…${text.slice(-SHOWN_END)}`.toWellFormed()
    : text;
}
