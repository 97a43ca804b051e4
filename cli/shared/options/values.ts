import { ConfigurationError } from '../../../contract/configuration-error.ts';

/**
 * One of the values that an option or variable allows.
 * @throws {ConfigurationError} that names it
 */
export function parseChoice<T extends string>(named: string, text: string, choices: readonly T[]): T {
  const choice = choices.find((value) => value === text);
  if (choice === undefined) {
    throw new ConfigurationError(`${named} must be ${choices.join(' or ')}, not ${JSON.stringify(text)}`);
  }
  return choice;
}

/**
 * A whole number from `minimum` to `maximum`.
 * @throws {ConfigurationError} that names the option
 */
export function parseInteger(named: string, text: string, minimum: number, maximum: number): number {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= minimum && value <= maximum)) {
    throw new ConfigurationError(
      `${named} must be a whole number from ${minimum} to ${maximum}, not ${JSON.stringify(text)}`,
    );
  }
  return value;
}

/** What a number counts, the units that it may be written in, and its bounds. */
interface Quantity {
  readonly what?: string;
  /** By how much each unit multiplies; none by default. */
  readonly units?: Readonly<Record<string, number>>;
  readonly note?: string;
  readonly minimum: number;
  readonly maximum: number;
}

/**
 * A number with its unit, fractions allowed.
 * @throws {ConfigurationError} that names the option
 */
function parseQuantity(
  named: string,
  text: string,
  { what = 'a number', units = { '': 1 }, note = '', minimum, maximum }: Quantity,
): number {
  const [, digits = '', unit = ''] = /^(\d+(?:[.]\d+)?)(\D*)$/.exec(text) ?? [];
  const value = digits === '' ? Number.NaN : Number(digits) * (units[unit] ?? Number.NaN);
  if (!(value >= minimum && value <= maximum)) {
    throw new ConfigurationError(
      `${named} must be ${what} from ${minimum} to ${maximum}${note}, not ${JSON.stringify(text)}`,
    );
  }
  return value;
}

/**
 * A number of seconds, fractions allowed, from `minimum` to `maximum`.
 * @throws {ConfigurationError} that names the option
 */
function parseSeconds(named: string, text: string, minimum: number, maximum: number): number {
  return parseQuantity(named, text, {
    what: 'a number of seconds',
    minimum,
    maximum,
  });
}

/**
 * A time such as 10, 10s, 5m or 1h.
 * @returns seconds, from `minimum` to `maximum`
 * @throws {ConfigurationError} that names the option
 */
export function parseDuration(named: string, text: string, minimum: number, maximum: number): number {
  return parseQuantity(named, text, {
    what: 'a number of seconds',
    units: { '': 1, s: 1, m: 60, h: 3_600 },
    note: ', or a time such as 90s, 5m or 1h',
    minimum,
    maximum,
  });
}

/**
 * Requests a second, such as 500 or 500/s.
 * @throws {ConfigurationError} that names the option
 */
export function parseRate(named: string, text: string, minimum: number, maximum: number): number {
  return parseQuantity(named, text, { units: { '': 1, '/s': 1 }, minimum, maximum });
}

/** Reads an option that is a time. */
export function durationWithin(minimum: number, maximum: number): (text: string, named: string) => number {
  return (text, named) => parseDuration(named, text, minimum, maximum);
}

/** Reads an option in seconds. */
export function secondsWithin(minimum: number, maximum: number): (text: string, named: string) => number {
  return (text, named) => parseSeconds(named, text, minimum, maximum);
}

/** Reads an option that is a whole number. */
export function integerWithin(minimum: number, maximum: number): (text: string, named: string) => number {
  return (text, named) => parseInteger(named, text, minimum, maximum);
}

/** `0.2` or `20%`, as a share. @throws {ConfigurationError} that names the option */
export function parseShare(named: string, text: string): number {
  return text.endsWith('%')
    ? parseQuantity(named, text, { units: { '%': 1 }, note: ' percent', minimum: 0, maximum: 100 }) / 100
    : parseQuantity(named, text, { minimum: 0, maximum: 1 });
}
