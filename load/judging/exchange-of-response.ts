import type { HeaderField } from '../../contract/verdict.ts';
import type { RequirementId } from '../../contract/requirements/index.ts';
import { type Exchange, HEADER_MONITORS, headerValuesMonitor } from '../../suites/oracle/index.ts';
import { evidence, inspect, type TargetClient } from '../../suites/target/index.ts';
import type { LoadResponse } from '../engine/load-request.ts';
import { decodeFieldPart } from '../engine/quick-headers.ts';

/** The response as the monitors see it. */
export function toExchange(client: TargetClient, response: LoadResponse): Exchange {
  const { request, status, rawHeaders, body, sentAt, answeredAt } = response;
  const offset = client.time.now() - performance.now();
  return {
    request: { ...request.message, path: client.basePath + request.message.path },
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

/** How much of a response is judged. */
export type ResponseExtent = 'whole' | 'headers';

/** Has the monitors of the suites judge a response. What they find goes to the judgements of the client. */
export function inspectResponse(
  client: TargetClient,
  response: LoadResponse,
  {
    extent,
    mayBeBanned,
    movesClock,
  }: {
    readonly extent: ResponseExtent;
    /** Whether its key may have been banned when it was decided. */
    readonly mayBeBanned: boolean;
    /** The target's clock may be moved meanwhile. */
    readonly movesClock: boolean;
  },
): void {
  const exchange = toExchange(client, response);
  const monitors = extent === 'whole' ? client.monitors : HEADER_MONITORS;
  const usable = movesClock ? monitors.filter((monitor) => monitor !== headerValuesMonitor) : monitors;
  client.clock.learnFromExchange(exchange);
  inspect({ ...client, monitors: usable }, exchange, response.request.key, mayBeBanned);
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
