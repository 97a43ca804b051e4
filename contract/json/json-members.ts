import { isJsonObject, type JsonObject, type JsonValue } from './lossless-json.ts';

// Reads members of JSON that somebody else wrote. Each throws a SyntaxError that names the member, if it is not as it should be.

export function stringMember(object: JsonObject, name: string): string {
  const value = object[name];
  return typeof value === 'string' ? value : unexpected(name, 'a string');
}

/** A number that a double holds. */
export function numberMember(object: JsonObject, name: string): number {
  const value = object[name];
  return typeof value === 'number' ? value : unexpected(name, 'a number');
}

/** An integer of 0 or more that a double holds exactly. */
export function countMember(object: JsonObject, name: string): number {
  const value = object[name];
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
    ? value
    : unexpected(name, 'an integer of 0 or more');
}

export function booleanMember(object: JsonObject, name: string): boolean {
  const value = object[name];
  return typeof value === 'boolean' ? value : unexpected(name, 'true or false');
}

export function objectMember(object: JsonObject, name: string): JsonObject {
  const value = object[name];
  return isJsonObject(value) ? value : unexpected(name, 'an object');
}

export function listMember(object: JsonObject, name: string): readonly JsonValue[] {
  const value = object[name];
  return Array.isArray(value) ? value : unexpected(name, 'an array');
}

export function stringsMember(object: JsonObject, name: string): readonly string[] {
  return listMember(object, name).map((item) =>
    typeof item === 'string' ? item : unexpected(name, 'an array of strings'),
  );
}

/** The member as `read` takes it, or `null` if it is null. */
export function orNull<Value>(
  object: JsonObject,
  name: string,
  read: (object: JsonObject, name: string) => Value,
): Value | null {
  return object[name] === null ? null : read(object, name);
}

/** The member as one of these words. */
export function wordMember<Word extends string>(
  object: JsonObject,
  name: string,
  words: readonly Word[],
): Word {
  const value = stringMember(object, name);
  return words.find((word) => word === value) ?? unexpected(name, words.join(' or '));
}

/** Refuses members that nobody reads. */
export function onlyMembers(object: JsonObject, names: readonly string[]): void {
  const other = Object.keys(object).find((name) => !names.includes(name));
  if (other !== undefined) {
    throw new SyntaxError(`it has a member that is not known, ${JSON.stringify(other.slice(0, 60))}`);
  }
}

function unexpected(name: string, wanted: string): never {
  throw new SyntaxError(`${name} is not ${wanted}`);
}
