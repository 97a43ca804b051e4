import type { HeaderField } from '../../contract/verdict.ts';
import type { Exchange } from '../../suites/oracle/index.ts';
import type { RequirementId } from '../../contract/requirements/index.ts';
import { evidence, type TargetClient } from '../../suites/target/index.ts';
import type { LoadResponse } from '../engine/load-request.ts';
import { decodeFieldPart } from '../engine/quick-headers.ts';

/** The response as the monitors see it. */
export function toExchange(client: TargetClient, response: LoadResponse): Exchange {
  const { request, status, rawHeaders, body, sentAt, answeredAt, traceparent } = response;
  const offset = client.time.now() - performance.now();
  return {
    request: {
      ...request.message,
      path: client.basePath + request.message.path,
      headers:
        traceparent === undefined
          ? request.message.headers
          : [...request.message.headers, ['traceparent', traceparent]],
    },
    authorization:
      request.key === null
        ? request.authorization.length === 0
          ? null
          : client.redactor.redact(request.authorization.join(' | '))
        : `Bearer ${request.key.label}`,
    key: request.key?.label ?? null,
    response: { status, headers: toFields(rawHeaders), body: body ?? Buffer.alloc(0) },
    sentAt: sentAt + offset,
    receivedAt: answeredAt + offset,
    lostResponses: 0,
    durationMilliseconds: answeredAt - sentAt,
    startedAt: new Date(performance.timeOrigin + sentAt),
  };
}

/** Says that a response violates a requirement, which no monitor sees in it. */
export function accuseResponse(
  client: TargetClient,
  id: RequirementId,
  message: string,
  response: LoadResponse,
): void {
  client.judgements.fail('load', id, evidence(client, message, toExchange(client, response)));
}

/** The header fields of a response. */
export function toFields(rawHeaders: LoadResponse['rawHeaders']): readonly HeaderField[] {
  const fields: HeaderField[] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    fields.push([decodeFieldPart(rawHeaders[index]), decodeFieldPart(rawHeaders[index + 1]).trim()]);
  }
  return fields;
}
