import { httpDate } from '../service/render.ts';
import { headerOf, withHeader, withoutHeader } from '../service/header-fields.ts';
import { changeEveryResponse, mapFields } from './every-response.ts';
import type { Variant } from './variant.ts';

function names(id: string, title: string, spell: (name: string) => string): Variant {
  return {
    id,
    title,
    freedom: 'letter-case of header names',
    alter: changeEveryResponse(
      () => (response) => mapFields(response, (name, value) => [spell(name), value]),
    ),
  };
}

function further(id: string, title: string, ...fields: readonly (readonly [string, string])[]): Variant {
  return {
    id,
    title,
    freedom: 'further header fields',
    alter: changeEveryResponse(() => (response) => ({
      ...response,
      headers: [...response.headers, ...fields.flat()],
    })),
  };
}

/** Date as a proxy writes it, whose clock is not quite that of the service. */
function dateMoved(id: string, title: string, bySeconds: number): Variant {
  return {
    id,
    title,
    freedom: 'date header',
    alter: changeEveryResponse(
      ({ clock }) =>
        (response) =>
          withHeader(response, 'Date', httpDate(Math.floor(clock.now()) + bySeconds)),
    ),
  };
}

export const HEADER_FIELD_VARIANTS: readonly Variant[] = [
  names('header-names-in-small-letters', 'Header names are in small letters', (name) => name.toLowerCase()),

  {
    id: 'header-fields-reversed',
    title: 'The header fields come in the reverse order',
    freedom: 'order of header fields',
    alter: changeEveryResponse(() => (response) => {
      const { headers } = response;
      // Pairs keep their order within: the value follows its name.
      return {
        ...response,
        headers: headers.map((_, at) => headers[headers.length - 2 - at + 2 * (at % 2)] ?? ''),
      };
    }),
  },

  further(
    'rate-limit-headers-of-other-windows-beside',
    'Headers of either window and of the resource stand beside',
    ['X-RateLimit-Used', '18'],
    ['X-RateLimit-Resource', 'core'],
    ['X-RateLimit-Limit-Day', '1000'],
    ['X-RateLimit-Remaining-Day', '900'],
    ['X-Rate-Limit-Reset', '30'],
  ),
  {
    id: 'retry-after-always',
    title: 'Retry-After: 0 stands on accepted responses, too',
    freedom: 'further header fields',
    alter: changeEveryResponse(
      () => (response) =>
        response.status === 200 && headerOf(response, 'Retry-After') === undefined
          ? withHeader(response, 'Retry-After', '0')
          : response,
    ),
  },

  {
    id: 'no-date',
    title: 'Responses carry no Date',
    freedom: 'date header',
    alter: changeEveryResponse(() => (response) => withoutHeader(response, 'Date')),
  },
  dateMoved('date-a-second-ahead', 'Date is from a proxy whose clock is a second ahead', 1),
];
