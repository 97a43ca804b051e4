import type { ItemProblem } from '../../../contract/inventory.ts';
import { asInteger, isJsonObject, type JsonObject, type JsonValue } from '../../../contract/json/index.ts';
import { headerValues } from '../../../contract/rate-limit-headers.ts';
import type { RequirementId } from '../../../contract/requirements/index.ts';
import { header, isOmitted, jsonOf, listOf, mediaTypeOf, type Exchange } from '../exchange.ts';
import { readList, type InventoryList } from '../inventory-list.ts';
import type { Monitor, Reporter } from '../monitor.ts';

const REQUIREMENT_OF: Readonly<Record<ItemProblem['member'], RequirementId>> = {
  object: 'list-succeeds',
  petId: 'item-pet-id',
  quantity: 'item-quantity',
  status: 'item-status',
};

const ITEM_MEMBERS = new Set(['petId', 'quantity', 'status']);
const ERROR_MEMBERS = new Set(['code', 'message', 'status']);

/** Every InventoryItem has its members in the right types; each pet stands in a list once. */
export const inventoryItems: Monitor = {
  id: 'inventory-items',
  title: 'Inventory items have the documented form',
  judges: [
    'item-pet-id',
    'item-quantity',
    'item-status',
    'list-succeeds',
    'list-one-entry-per-pet',
    'update-succeeds',
    'extra-members',
  ],
  watch: (exchange, report) => {
    if (exchange.response.status !== 200 || exchange.response.isBodyOmitted) {
      return;
    }
    if (exchange.request.operation === 'updateInventory') {
      judgeItems(readList([jsonOf(exchange) ?? null]), 'update-succeeds', report);
    } else if (exchange.request.operation === 'listInventory') {
      const list = listOf(exchange);
      if (list === undefined) {
        report.judge('list-succeeds', false, () => 'The list is not a JSON array.');
      } else {
        judgeItems(list, 'list-succeeds', report);
        report.judge(
          'list-one-entry-per-pet',
          list.repeated === undefined,
          () => `Pet ${list.repeated} stands in the list more than once.`,
        );
      }
    }
  },
};

function judgeItems(list: InventoryList, whole: RequirementId, report: Reporter): void {
  for (const item of list.sample) {
    observeExtraMembers(item, ITEM_MEMBERS, 'item', report);
  }
  for (const member of ['object', 'petId', 'quantity', 'status'] as const) {
    const id = member === 'object' ? whole : REQUIREMENT_OF[member];
    const problem = list.problems.get(member);
    report.judge(id, problem === undefined, () => {
      const where = list.length > 1 ? `Item ${problem?.index} of ${list.length}` : 'The item';
      return `${where}: ${member === 'object' ? '' : `${member} `}${problem?.message}.`;
    });
  }
}

/** The statuses that carry an Error object, for each documented operation. */
export function documentsError({ request, response }: Exchange): boolean {
  const { operation } = request;
  if (operation === null) {
    return false;
  }
  return response.status === 401 || (operation === 'updateInventory' && [400, 404].includes(response.status));
}

/** Error bodies on 400, 401 and 404; what a banned key is told is not shown. */
export const errorBodies: Monitor = {
  id: 'error-bodies',
  title: 'Refusals carry the Error object',
  judges: ['error-code', 'error-message', 'error-status', 'error-code-values', 'extra-members'],
  watch: (exchange, report, { mayBeBanned }) => {
    if (!documentsError(exchange) || mayBeBanned || exchange.response.isBodyOmitted) {
      return;
    }
    const { status } = exchange.response;
    const body = jsonOf(exchange);
    const error = isJsonObject(body) ? body : undefined;
    const said = (member: string): string =>
      error === undefined ? 'the body is no JSON object' : `${member} is ${shown(error[member])}`;
    const code = error?.['code'];
    report.judge('error-code', typeof code === 'string', () => `On ${status} ${said('code')}, not a string.`);
    report.judge(
      'error-message',
      typeof error?.['message'] === 'string',
      () => `On ${status} ${said('message')}, not a string.`,
    );
    report.judge(
      'error-status',
      asInteger(error?.['status']) === BigInt(status),
      () => `On ${status} ${said('status')}, not the integer ${status}.`,
    );
    if (typeof code === 'string' && code.length <= 60) {
      report.observe('error-code-values', code, String(status));
    }
    if (error !== undefined) {
      observeExtraMembers(error, ERROR_MEMBERS, 'error', report);
    }
  },
};

/** A documented body is application/json. */
export const contentType: Monitor = {
  id: 'content-type',
  title: 'Documented bodies are application/json',
  judges: ['content-type-json'],
  watch: (exchange, report, { mayBeBanned }) => {
    const { operation } = exchange.request;
    const documentsItem =
      exchange.response.status === 200 && (operation === 'listInventory' || operation === 'updateInventory');
    const isDocumented = documentsItem || (documentsError(exchange) && !mayBeBanned);
    if (!isDocumented || isOmitted(exchange.response, 'Content-Type')) {
      return;
    }
    report.judge(
      'content-type-json',
      headerValues(exchange.response.headers, 'Content-Type').length === 1 &&
        mediaTypeOf(exchange) === 'application/json',
      () =>
        `Content-Type is ${header(exchange, 'Content-Type') ?? 'missing'} on a ${exchange.response.status} response to ${operation}.`,
    );
  },
};

function observeExtraMembers(
  object: JsonObject,
  documented: ReadonlySet<string>,
  facet: string,
  report: Reporter,
): void {
  const further = Object.keys(object).filter((member) => !documented.has(member));
  for (const member of further.length === 0 ? ['none'] : further) {
    report.observe('extra-members', member.slice(0, 60), facet);
  }
}

function shown(value: JsonValue | undefined): string {
  if (value === undefined) {
    return 'missing';
  }
  return typeof value === 'object' && value !== null
    ? 'an object or array'
    : `${typeof value === 'string' ? JSON.stringify(value.slice(0, 60)) : value}`;
}
