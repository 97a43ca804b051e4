import { ConfigurationError } from '../../../contract/configuration-error.ts';
import { enumeration } from '../../../contract/words/enumeration.ts';

/** @throws {ConfigurationError} with the message of the first condition that holds */
export function refuseFirst(refusals: readonly (readonly [isRefused: boolean, message: string])[]): void {
  const [, message] = refusals.find(([isRefused]) => isRefused) ?? [];
  if (message !== undefined) {
    throw new ConfigurationError(message);
  }
}

/** Reads a value of an option or variable. @throws {ConfigurationError} that names it */
export type ValueReader<Value> = (text: string, named: string) => Value;

/** One of the values that are allowed. */
export function oneOf<const T extends string>(choices: readonly T[]): ValueReader<T> {
  return (text, named) => {
    const choice = choices.find((value) => value === text);
    if (choice === undefined) {
      throw new ConfigurationError(
        `${named} must be ${enumeration(choices, 'or')}, not ${JSON.stringify(text)}`,
      );
    }
    return choice;
  };
}

/** A text of a form. @param what it must be, in words */
export function ofForm(form: RegExp, what: string): ValueReader<string> {
  return (text, named) => {
    if (!form.test(text)) {
      throw new ConfigurationError(`${named} must be ${what}, not ${JSON.stringify(text)}`);
    }
    return text;
  };
}

/** A whole number. */
export function integerWithin(minimum: number, maximum: number): ValueReader<number> {
  return (text, named) => {
    const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    if (!(value >= minimum && value <= maximum)) {
      throw new ConfigurationError(
        `${named} must be a whole number from ${minimum} to ${maximum}, not ${JSON.stringify(text)}`,
      );
    }
    return value;
  };
}

/** The seeds of all that is drawn. */
export const LARGEST_SEED = 2 ** 32 - 1;
export const asSeed = integerWithin(0, LARGEST_SEED);

export const HIGHEST_PORT = 65_535;
/** A port to listen on; 0 for any that is free. */
export const asListeningPort = integerWithin(0, HIGHEST_PORT);

/** What a number counts, and the units that it may be written in. */
interface Quantity {
  readonly what?: string;
  /** By how much each unit multiplies; none by default. */
  readonly units?: Readonly<Record<string, number>>;
  readonly note?: string;
}

/** Numbers with a unit, fractions allowed, from a minimum to a maximum. */
function quantity({ what = 'a number', units = { '': 1 }, note = '' }: Quantity) {
  return (minimum: number, maximum: number): ValueReader<number> =>
    (text, named) => {
      const [, digits = '', unit = ''] = /^(\d+(?:[.]\d+)?)(\D*)$/.exec(text) ?? [];
      const value = digits === '' ? Number.NaN : Number(digits) * (units[unit] ?? Number.NaN);
      if (!(value >= minimum && value <= maximum)) {
        throw new ConfigurationError(
          `${named} must be ${what} from ${minimum} to ${maximum}${note}, not ${JSON.stringify(text)}`,
        );
      }
      return value;
    };
}

/** A number of seconds. */
export const secondsWithin = quantity({ what: 'a number of seconds' });

/** A time such as 10, 10s, 5m or 1h, in seconds. */
export const durationWithin = quantity({
  what: 'a number of seconds',
  units: { '': 1, s: 1, m: 60, h: 3_600 },
  note: ', or a time such as 90s, 5m or 1h',
});

/** Requests a second, such as 500 or 500/s. */
export const rateWithin = quantity({ units: { '': 1, '/s': 1 } });

const fraction = quantity({})(0, 1);
const percentage = quantity({ units: { '%': 1 }, note: ' percent' })(0, 100);

/** `0.2` or `20%`, as a share. */
export const asShare: ValueReader<number> = (text, named) =>
  text.endsWith('%') ? percentage(text, named) / 100 : fraction(text, named);

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
export function asRedisUrl(text: string, named: string): string {
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
