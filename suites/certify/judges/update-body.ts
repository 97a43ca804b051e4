import { asInteger, isJsonObject, stringifyJson, type JsonObject } from '../../../contract/json/index.ts';
import { headerValues } from '../../../contract/rate-limit-headers.ts';
import { showValue } from '../records/compare-inventory.ts';
import { hideClientKey } from '../records/record-client-exchange.ts';
import type { ClientJudge, ScenarioRecord } from '../records/record.ts';
import { afterRight, isAnswered, parseBody, clientRequests } from '../records/traffic-reading.ts';
import type { ClientExchange } from '../records/traffic.ts';

/** The quantity as an integer in a JSON object, sent as application/json. */
export const updateBody: ClientJudge = {
  id: 'update-body',
  title: 'An update carries the quantity that was asked for',
  judges: ['client-update-body'],
  judge: (record, say) => {
    const { task } = record.scenario;
    if (task.operation !== 'updateInventory') {
      return;
    }
    // The content is known only once the request was read, and another method is judged by `operation`.
    const updates = clientRequests(record).filter(
      (exchange) => exchange.request.method === 'PATCH' && isAnswered(exchange),
    );
    for (const [index, exchange] of updates.entries()) {
      const problem = typeProblem(exchange, record) ?? contentProblem(exchange, record, task.quantity);
      if (problem !== null) {
        say.fail(
          'client-update-body',
          `${problem}${afterRight(index)}`,
          `Send {"quantity":${task.quantity}} with Content-Type: application/json.`,
          exchange,
        );
        return;
      }
    }
    if (updates.length > 0) {
      say.pass('client-update-body');
    }
  },
};

function typeProblem({ request }: ClientExchange, record: ScenarioRecord): string | null {
  const values = headerValues(request.headers, 'Content-Type');
  const [value] = values;
  if (value === undefined || values.length > 1) {
    return `The update has ${value === undefined ? 'no' : values.length} Content-Type header${value === undefined ? '' : 's'}.`;
  }
  const mediaType = value.split(';')[0]?.trim().toLowerCase();
  return mediaType === 'application/json'
    ? null
    : `The Content-Type of the update is ${JSON.stringify(hideClientKey(value, record).slice(0, 100))}, not application/json.`;
}

function contentProblem(
  { request }: ClientExchange,
  record: ScenarioRecord,
  quantity: number,
): string | null {
  if (request.body.length === 0) {
    return 'The update has no content.';
  }
  const content = parseBody(request.body);
  if (content === undefined) {
    return `The content of the update is not JSON in UTF-8: ${JSON.stringify(hideClientKey(request.body.toString('utf8'), record).slice(0, 100))}.`;
  }
  return isJsonObject(content)
    ? quantityProblem(content, quantity, record)
    : `The content of the update is ${showValue(content)}, not a JSON object.`;
}

function quantityProblem(content: JsonObject, quantity: number, record: ScenarioRecord): string | null {
  const { quantity: sent } = content;
  if (sent === undefined) {
    const shown = hideClientKey(stringifyJson(content), record).slice(0, 100);
    return `The content of the update has no member quantity: ${shown}.`;
  }
  return asInteger(sent) === BigInt(quantity)
    ? null
    : `The quantity of the update is ${showValue(sent)}; the integer ${quantity} was asked for.`;
}
