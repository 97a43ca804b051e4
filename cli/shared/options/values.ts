import { ConfigurationError } from '../../../contract/configuration-error.ts';

/** @throws {ConfigurationError} with the message of the first condition that holds */
export function refuseFirst(refusals: readonly (readonly [isRefused: boolean, message: string])[]): void {
  const [, message] = refusals.find(([isRefused]) => isRefused) ?? [];
  if (message !== undefined) {
    throw new ConfigurationError(message);
  }
}

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

/** The seeds of all that is drawn. */
export const LARGEST_SEED = 2 ** 32 - 1;

/** `0.2` or `20%`, as a share. @throws {ConfigurationError} that names the option */
export function parseShare(named: string, text: string): number {
  return text.endsWith('%')
    ? parseQuantity(named, text, { units: { '%': 1 }, note: ' percent', minimum: 0, maximum: 100 }) / 100
    : parseQuantity(named, text, { minimum: 0, maximum: 1 });
}

/** Fields that the suite sets itself, or whose change would spoil every exchange. */
const RESERVED = new Set([
  'authorization',
  'connection',
  'content-length',
  'content-type',
  'expect',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/**
 * Reads the value of `--header`: a field name and value as RFC 9110, section 5, has them, in ASCII.
 * @throws {ConfigurationError} that names the field; the value is never shown
 */
export function parseHeader(text: string): readonly [name: string, value: string] {
  const parts = /^(?<name>[\w!#$%&'*+.^`|~-]+):[ \t]*(?<value>[\t -~]*?)[ \t]*$/.exec(text)?.groups;
  const { name, value } = parts ?? {};
  if (name === undefined || value === undefined) {
    throw new ConfigurationError(`--header must have the form 'Name: value' in printable ASCII`);
  }
  if (name.toLowerCase() === 'authorization') {
    throw new ConfigurationError('--header Authorization is refused: keys are given with --key plan=key');
  }
  if (RESERVED.has(name.toLowerCase()) || /^x-ratelimit-/i.test(name)) {
    throw new ConfigurationError(`--header ${name} is refused: the suite needs this field for itself`);
  }
  return [name, value];
}

/**
 * The address of a Redis: `redis://HOST:PORT` or `redis://HOST:PORT/DB`, also `rediss:` and with user and password.
 * @throws {ConfigurationError} that names the option, and no password
 */
export function parseRedisUrl(named: string, text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (
    url === undefined ||
    !['redis:', 'rediss:'].includes(url.protocol) ||
    url.hostname === '' ||
    !/^(?:\/\d*)?$/.test(url.pathname) ||
    url.search !== '' ||
    url.hash !== ''
  ) {
    throw new ConfigurationError(
      `${named} must be redis://HOST:PORT or redis://HOST:PORT/DB, not ${JSON.stringify(withoutPassword(text))}`,
    );
  }
  return text;
}

/** As it may be shown. */
export function withoutPassword(url: string): string {
  return url.replace(/\/\/[^/@]*@/, '//…@');
}
