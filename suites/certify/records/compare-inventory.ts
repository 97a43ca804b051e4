import { readInventoryItem, type InventoryItem } from '../../../contract/inventory.ts';
import { asInteger, isJsonObject, type JsonValue } from '../../../contract/json/index.ts';

/** How a report differs from what was answered, in a sentence, and what to change. */
export interface ReportDifference {
  readonly message: string;
  readonly change: string;
}

const REPORT_ALL = 'Report every entry of the answer once, as it was answered.';
const KEEP_DIGITS =
  'Keep petId as an integer of 64 bits or as a string of digits: a double holds only about 16 digits.';
const FORM =
  'Report the array or the item of the answer: petId as a number or a string of digits, quantity as a number, status as a string.';

/**
 * Compares a list as it was answered with what a client reports of it. The order of the entries and members that
 * the specification does not know are free; `petId` may be a number or a string of digits.
 * @returns `null` if they agree, or if the answer is no list to compare with
 */
export function compareLists(answered: JsonValue, reported: JsonValue): ReportDifference | null {
  const expected = readList(answered);
  if (expected === null) {
    return null;
  }
  if (!isList(reported)) {
    return { message: `The answer was an array, and the report is ${nameKind(reported)}.`, change: FORM };
  }
  const seen = new Map<string, number>();
  let firstDifference: ReportDifference | null = null;
  const strange: bigint[] = [];
  for (const [index, entry] of reported.entries()) {
    const petId = readPetId(entry);
    const item = petId === undefined ? undefined : expected.get(petId.toString());
    if (petId === undefined) {
      return { message: `Entry ${index} of the report has no integer petId.`, change: FORM };
    }
    if (item === undefined) {
      strange.push(petId);
    } else {
      seen.set(petId.toString(), (seen.get(petId.toString()) ?? 0) + 1);
      firstDifference ??= compareMembers(item, entry);
    }
  }
  const missing = [...expected.values()].filter(({ petId }) => !seen.has(petId.toString()));
  const repeated = [...seen].filter(([, times]) => times > 1).map(([petId]) => BigInt(petId));
  // A petId that lost its digits may be that of another pet, whose quantity then seems wrong.
  return (
    compareIds(
      missing.map(({ petId }) => petId),
      strange,
      repeated,
      expected.size,
    ) ?? firstDifference
  );
}

/** Compares the item that an update was answered with with what a client reports of it; see `compareLists`. */
export function compareItems(answered: JsonValue, reported: JsonValue): ReportDifference | null {
  const reading = readInventoryItem(answered);
  if (!('item' in reading)) {
    return null;
  }
  const { item } = reading;
  const petId = readPetId(reported);
  if (petId === undefined) {
    const what = isJsonObject(reported) ? 'an object without an integer petId' : nameKind(reported);
    return { message: `The answer was an item, and the report is ${what}.`, change: FORM };
  }
  return petId === item.petId ? compareMembers(item, reported) : compareIds([item.petId], [petId], [], 1);
}

function compareIds(
  missing: readonly bigint[],
  strange: readonly bigint[],
  repeated: readonly bigint[],
  answeredCount: number,
): ReportDifference | null {
  const [lost] = missing;
  const [found] = strange;
  const [twice] = repeated;
  const named = found ?? twice;
  const lostDigits = missing.some(
    (one) =>
      named !== undefined &&
      (Number(one) === Number(named) ||
        BigInt.asIntN(32, one) === named ||
        BigInt.asUintN(32, one) === named),
  );
  const change = lostDigits ? KEEP_DIGITS : REPORT_ALL;
  const said = [
    ...(found === undefined ? [] : [`Pet ${found} is reported, which was not answered`]),
    ...(found === undefined && twice !== undefined ? [`Pet ${twice} is reported more than once`] : []),
    ...(lost === undefined
      ? []
      : [
          `${missing.length} of ${answeredCount} pets that were answered ${missing.length === 1 ? 'is' : 'are'} missing from the report, such as ${lost}`,
        ]),
  ];
  return said.length === 0 ? null : { message: `${said.join('; ')}.`, change };
}

function compareMembers(item: InventoryItem, reported: JsonValue): ReportDifference | null {
  const members = isJsonObject(reported) ? reported : {};
  if (asInteger(members['quantity']) !== BigInt(item.quantity)) {
    return differs(item, 'quantity', `${item.quantity}`, members['quantity']);
  }
  if (members['status'] !== item.status) {
    return differs(item, 'status', `"${item.status}"`, members['status']);
  }
  return null;
}

function differs(
  { petId }: InventoryItem,
  member: string,
  answered: string,
  reported: JsonValue | undefined,
): ReportDifference {
  return {
    message: `Pet ${petId} was answered with ${member} ${answered}, and reported with ${showValue(reported)}.`,
    change: `Report ${member} as it was answered, as the same type.`,
  };
}

function readList(value: JsonValue): ReadonlyMap<string, InventoryItem> | null {
  if (!isList(value)) {
    return null;
  }
  const readings = value.map((entry) => readInventoryItem(entry));
  const items = readings.flatMap((reading) => ('item' in reading ? [reading.item] : []));
  return items.length === readings.length
    ? new Map(items.map((item) => [item.petId.toString(), item]))
    : null;
}

function readPetId(value: JsonValue): bigint | undefined {
  const petId = isJsonObject(value) ? value['petId'] : undefined;
  return typeof petId === 'string' && /^-?\d+$/.test(petId) ? BigInt(petId) : asInteger(petId);
}

function isList(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value);
}

function nameKind(value: JsonValue): string {
  if (value === null) {
    return 'null';
  }
  if (isList(value)) {
    return 'an array';
  }
  return typeof value === 'object' ? 'an object' : `a ${typeof value === 'bigint' ? 'number' : typeof value}`;
}

/** A JSON value in a few characters. */
export function showValue(value: JsonValue | undefined): string {
  if (value === undefined) {
    return 'none';
  }
  if (typeof value === 'object' && value !== null) {
    return nameKind(value);
  }
  return typeof value === 'string' ? JSON.stringify(value.slice(0, 60)) : `${value}`;
}

const SHOWN_BEFORE = 20;

/** A value that differs from another; a long text from shortly before the first difference on. */
export function showDifference(value: JsonValue, other: JsonValue): string {
  if (typeof value !== 'string' || typeof other !== 'string') {
    return showValue(value);
  }
  let same = 0;
  while (same < value.length && value[same] === other[same]) {
    same += 1;
  }
  const from = Math.max(0, same - SHOWN_BEFORE);
  return `${from > 0 ? '…' : ''}${showValue(value.slice(from).toWellFormed())}`;
}
