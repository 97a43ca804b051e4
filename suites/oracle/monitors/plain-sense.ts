import { countText } from '../../../contract/words/enumeration.ts';
import { BAN_STATUSES, LONGEST_TEMPORARY_SECONDS } from '../../../contract/bans.ts';
import { isJsonObject } from '../../../contract/json/index.ts';
import { parseHttpDate } from '../../../contract/retry-after.ts';
import { bodyBytesOf, header, jsonOf, listOf, mediaTypeOf, type Exchange } from '../exchange.ts';
import type { Monitor } from '../monitor.ts';
import { secondsAsked } from '../server-clock.ts';
import { documentsError } from './bodies.ts';

/** What follows from an RFC or from plain sense, and decides with `--level should` only. */
export const plainSense: Monitor = {
  id: 'plain-sense',
  title: 'Errors say something, JSON can be read, Date is right, and waits are finite',
  judges: ['error-texts', 'readable-json', 'date-header', 'retry-after-plausible'],
  watch: (exchange, report, { mayBeBanned, clock }) => {
    const body = jsonOf(exchange);
    if (documentsError(exchange) && !mayBeBanned && isJsonObject(body)) {
      const empty = ['code', 'message'].filter((member) => isBlank(body[member]));
      report.judge(
        'error-texts',
        empty.length === 0,
        () => `On ${exchange.response.status} ${empty.join(' and ')} of the Error object hold nothing.`,
      );
    }
    if (saysJson(exchange)) {
      const isRead = body !== undefined || listOf(exchange) !== undefined;
      const isMarked = exchange.response.body.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK);
      report.judge('readable-json', isRead && !isMarked, () => {
        const what = isMarked
          ? 'the body begins with a byte order mark, which a parser may refuse (RFC 8259, section 8.1)'
          : `the body (${countText(bodyBytesOf(exchange.response), 'byte')}) is not JSON`;
        return `Content-Type is ${header(exchange, 'Content-Type')}, and ${what}.`;
      });
    }
    const wait = BAN_STATUSES.has(exchange.response.status) ? secondsAsked(exchange, clock) : undefined;
    if (wait !== undefined && wait > LONGEST_TEMPORARY_SECONDS) {
      report.judge(
        'retry-after-plausible',
        false,
        () =>
          `Retry-After asks for ${Math.round(wait)} s, more than the 31 days of the longest temporary ban.`,
      );
    }
    const date = header(exchange, 'Date');
    const isRight = clock.isDateRight(exchange);
    if (date !== undefined && isRight !== undefined) {
      const stated = parseHttpDate(date);
      const now = clock.spanOf(exchange)?.earliest ?? Number.NaN;
      report.judge(
        'date-header',
        isRight,
        () =>
          `Date is "${date}", ${stated === undefined ? 'no HTTP-date' : `${Math.round(stated - now)} s from the control clock`}.`,
      );
    }
  },
};

const BYTE_ORDER_MARK = Buffer.from('\u{feff}');

function isBlank(value: unknown): boolean {
  return typeof value === 'string' && value.trim() === '';
}

/** Whether a body that is there for reading is said to be JSON. */
function saysJson(exchange: Exchange): boolean {
  const { request, response } = exchange;
  const mediaType = mediaTypeOf(exchange);
  return (
    request.operation !== null &&
    !response.isBodyOmitted &&
    ![204, 205, 206, 304].includes(response.status) &&
    header(exchange, 'Content-Encoding') === undefined &&
    (mediaType === 'application/json' || mediaType?.endsWith('+json') === true)
  );
}
