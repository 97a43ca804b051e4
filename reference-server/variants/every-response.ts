import type { Alteration } from '../alterations/alteration.ts';
import type { ServiceRequest, ServiceResponse } from '../service/messages.ts';
import type { ServiceParts } from '../service/service.ts';
import { changeLater } from '../alterations/responses.ts';

/**
 * Changes every response, the ones to malformed HTTP too, for which there is no request.
 * @param start called once for each server
 */
export function changeEveryResponse(
  start: (parts: ServiceParts) => (response: ServiceResponse, request?: ServiceRequest) => ServiceResponse,
): Alteration {
  return {
    service: (service, parts) => {
      const change = start(parts);
      return {
        respond: (request) => changeLater(service.respond(request), (response) => change(response, request)),
        refuse: (refusal) => change(service.refuse(refusal)),
      };
    },
  };
}

/** Makes fields of fields; they come and go as name, value, name, value … */
export function mapFields(
  { headers, ...rest }: ServiceResponse,
  map: (name: string, value: string) => readonly [name: string, value: string],
): ServiceResponse {
  const mapped: string[] = [];
  for (let index = 0; index < headers.length; index += 2) {
    mapped.push(...map(headers[index] ?? '', headers[index + 1] ?? ''));
  }
  return { ...rest, headers: mapped };
}
