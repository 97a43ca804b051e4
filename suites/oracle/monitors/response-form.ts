import { headerValues } from '../../../contract/rate-limit-headers.ts';
import type { HeaderField } from '../../../contract/verdict.ts';
import { isAccepted } from '../exchange.ts';
import type { Monitor } from '../monitor.ts';

const DOCUMENTED_NAME = 'X-RateLimit-Limit';

/** What HTTP leaves to a service in every answer; seen in those to requests that were accepted. */
export const responseForm: Monitor = {
  id: 'response-form',
  title: 'How responses are spelled and framed',
  judges: ['response-form'],
  watch: (exchange, report) => {
    const { operation } = exchange.request;
    if (!isAccepted(exchange) || (operation !== 'listInventory' && operation !== 'updateInventory')) {
      return;
    }
    const { headers, omittedHeaders } = exchange.response;
    if (omittedHeaders !== undefined) {
      return;
    }
    const name = headers.find(([field]) => field.toLowerCase() === DOCUMENTED_NAME.toLowerCase())?.[0];
    if (name !== undefined) {
      report.observe('response-form', spellingOf(name), 'header names');
    }
    report.observe('response-form', headerValues(headers, 'Date').length === 0 ? 'none' : 'present', 'date');
    // A connection that the client wants closed is closed by any service.
    if (!saysClose(exchange.request.headers)) {
      report.observe('response-form', framingOf(headers), 'framing');
    }
    const [mediaType] = headerValues(headers, 'Content-Type');
    if (mediaType !== undefined) {
      report.observe('response-form', mediaType, 'media type');
    }
  },
};

function spellingOf(name: string): string {
  if (name === DOCUMENTED_NAME) {
    return 'as documented';
  }
  return name === name.toLowerCase() ? 'small letters' : 'otherwise';
}

function framingOf(headers: readonly HeaderField[]): string {
  const body = headerValues(headers, 'Content-Length').length === 0 ? 'in chunks' : 'Content-Length';
  return saysClose(headers) ? `${body}, and the connection closes` : body;
}

function saysClose(headers: readonly HeaderField[]): boolean {
  return headerValues(headers, 'Connection').some((value) => value.toLowerCase() === 'close');
}
