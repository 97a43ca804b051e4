import { isJsonObject, type JsonObject, type JsonValue } from './lossless-json.ts';

// Reads members of JSON that somebody else wrote. Each throws a SyntaxError that names the member, if it is not as it should be.

type ReadMember<Value> = (object: JsonObject, name: string) => Value;

function reader<Value extends JsonValue>(
  wanted: string,
  isWanted: (value: JsonValue | undefined) => value is Value,
): ReadMember<Value> {
  return (object, name) => {
    const value = object[name];
    return isWanted(value) ? value : unexpected(name, wanted);
  };
}

export const stringMember = reader('a string', (value) => typeof value === 'string');

/** A number that a double holds. */
export const numberMember = reader('a number', (value) => typeof value === 'number');

/** An integer of 0 or more that a double holds exactly. */
export const countMember = reader(
  'an integer of 0 or more',
  (value): value is number => typeof value === 'number' && Number.isSafeInteger(value) && value >= 0,
);

export const booleanMember = reader('true or false', (value) => typeof value === 'boolean');

export const objectMember = reader('an object', isJsonObject);

export const listMember: ReadMember<readonly JsonValue[]> = reader('an array', (value) =>
  Array.isArray(value),
);

export function stringsMember(object: JsonObject, name: string): readonly string[] {
  return listMember(object, name).map((item) =>
    typeof item === 'string' ? item : unexpected(name, 'an array of strings'),
  );
}

/** The member as `read` takes it, or `null` if it is null. */
export function orNull<Value>(object: JsonObject, name: string, read: ReadMember<Value>): Value | null {
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

/** Refuses members that nobody reads. @param members the names of the others, with spaces between them */
export function onlyMembers(object: JsonObject, members: string): void {
  const names = members.split(' ');
  const other = Object.keys(object).find((name) => !names.includes(name));
  if (other !== undefined) {
    throw new SyntaxError(`it has a member that is not known, ${JSON.stringify(other.slice(0, 60))}`);
  }
}

function unexpected(name: string, wanted: string): never {
  throw new SyntaxError(`${name} is not ${wanted}`);
}
