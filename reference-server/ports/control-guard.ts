import { headerOf } from '../service/header-fields.ts';
import type { Service, ServiceRequest, ServiceResponse } from '../service/messages.ts';
import { foreignness } from './own-origin.ts';

/**
 * Lets through to the control contract only what was meant for it: requests to this machine by one of its own names,
 * from no page of another origin, with JSON if there is a body.
 */
export function guardControl(control: Service): Service {
  return {
    ...control,
    respond: (request) => refusalOf(request, control) ?? control.respond(request),
  };
}

function refusalOf(request: ServiceRequest, { refuse }: Service): ServiceResponse | undefined {
  const field = (name: string): string | undefined => headerOf(request, name);
  const [, named] = /^[a-z][a-z\d+.-]*:\/\/([^/?#]*)/i.exec(request.target) ?? [];
  const foreign = foreignness({
    authority: named ?? field('host'),
    origin: field('origin'),
    fetchSite: field('sec-fetch-site'),
  });
  if (foreign === 'host') {
    return refuse({
      status: 421,
      code: 'foreign_host',
      message:
        'The control contract answers under localhost and private IP addresses only, not under other names.',
    });
  }
  if (foreign === 'origin') {
    return refuse({
      status: 403,
      code: 'foreign_origin',
      message: 'The control contract answers no page of another origin.',
    });
  }
  return hasBody(request) && !isJson(field('content-type'))
    ? refuse({
        status: 415,
        code: 'unsupported_media_type',
        message: 'The control contract takes bodies of Content-Type application/json.',
      })
    : undefined;
}

function hasBody(request: ServiceRequest): boolean {
  return (
    Number(headerOf(request, 'content-length') ?? 0) > 0 ||
    headerOf(request, 'transfer-encoding') !== undefined
  );
}

function isJson(contentType: string | undefined): boolean {
  return contentType?.split(';')[0]?.trim().toLowerCase() === 'application/json';
}
