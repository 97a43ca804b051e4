/** A parsed Retry-After field (RFC 9110, section 10.2.3). */
export type RetryAfter =
  | { readonly form: 'delta-seconds'; readonly seconds: number }
  | { readonly form: 'http-date'; readonly unixSeconds: number };

const DAYS = 'Mon|Tue|Wed|Thu|Fri|Sat|Sun';
const LONG_DAYS = 'Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday';
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const MONTH = MONTHS.join('|');
const TIME = '(?<hour>\\d{2}):(?<minute>\\d{2}):(?<second>\\d{2})';

const IMF_FIXDATE = new RegExp(
  `^(?:${DAYS}), (?<day>\\d{2}) (?<month>${MONTH}) (?<year>\\d{4}) ${TIME} GMT$`,
);
const RFC_850_DATE = new RegExp(
  `^(?:${LONG_DAYS}), (?<day>\\d{2})-(?<month>${MONTH})-(?<year>\\d{2}) ${TIME} GMT$`,
);
const ASCTIME_DATE = new RegExp(`^(?:${DAYS}) (?<month>${MONTH}) (?<day>[ \\d]\\d) ${TIME} (?<year>\\d{4})$`);

/** Parses a Retry-After value; `undefined` if it is neither delta-seconds nor an HTTP-date. */
export function parseRetryAfter(value: string): RetryAfter | undefined {
  if (/^\d+$/.test(value)) {
    return { form: 'delta-seconds', seconds: Number(value) };
  }
  const unixSeconds = parseHttpDate(value);
  return unixSeconds === undefined ? undefined : { form: 'http-date', unixSeconds };
}

/**
 * Parses an HTTP-date in any of the three forms that a recipient must accept (RFC 9110, section 5.6.7).
 * @returns Unix seconds, or `undefined` if the value is not an HTTP-date.
 */
export function parseHttpDate(value: string): number | undefined {
  if (value !== lastDate.value) {
    lastDate = { value, unixSeconds: readHttpDate(value) };
  }
  return lastDate.unixSeconds;
}

// All responses of a second have the same Date.
let lastDate: { readonly value: string; readonly unixSeconds: number | undefined } = {
  value: '',
  unixSeconds: undefined,
};

function readHttpDate(value: string): number | undefined {
  const groups = (IMF_FIXDATE.exec(value) ?? RFC_850_DATE.exec(value) ?? ASCTIME_DATE.exec(value))?.groups;
  if (groups === undefined) {
    return undefined;
  }
  const { day = '', month = '', year = '', hour = '', minute = '', second = '' } = groups;
  const fullYear = year.length === 2 ? expandYear(Number(year)) : Number(year);
  const date = new Date(0);
  // `Date.UTC` would take the years 0 to 99 for 1900 to 1999.
  date.setUTCFullYear(fullYear, MONTHS.indexOf(month), Number(day));
  const isDate = date.getUTCDate() === Number(day);
  // A leap second is 60.
  const isTime = Number(hour) < 24 && Number(minute) < 60 && Number(second) <= 60;
  const seconds = Number(hour) * 3_600 + Number(minute) * 60 + Number(second);
  return isDate && isTime ? date.getTime() / 1000 + seconds : undefined;
}

/** RFC 9110: a two-digit year that seems over 50 years ahead is the most recent past year with those digits. */
function expandYear(twoDigits: number): number {
  const now = new Date().getUTCFullYear();
  const candidate = now - (now % 100) + twoDigits;
  return candidate > now + 50 ? candidate - 100 : candidate;
}
