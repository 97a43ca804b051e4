import type { InventoryItem } from '../../../contract/inventory.ts';
import { stringifyJson, type JsonValue } from '../../../contract/json/index.ts';
import type { RequestMessage } from '../exchange.ts';
import { type rateLimitFields, sampleExchange } from '../exchange.test-data.ts';
import type { Credential } from '../history.ts';
import type { HistoryMonitor, OracleJudgement } from '../history-monitor.ts';
import { openOracle } from '../oracle.ts';
import { followServerClock } from '../server-clock.ts';
import { inventoryMonitor } from './inventory-monitor.ts';

export type ScriptedHistory = ReturnType<typeof openScriptedHistory>;

export const VALID: Credential = { kind: 'valid', key: 'free#1' };

/** A history as a test tells it, and what a monitor says of it, that of the inventory by default. */
export function openScriptedHistory(monitor: HistoryMonitor = inventoryMonitor) {
  const oracle = openOracle(followServerClock(), [monitor]);
  const said: OracleJudgement[] = [];
  let moments = 0;
  let requests = 0;
  const tick = (): number => {
    moments += 1;
    return moments;
  };
  return {
    said,
    /** Lets time pass in which nothing is sent. */
    pass: (milliseconds: number): void => {
      moments += milliseconds;
    },
    strangeChanges: oracle.strangeChanges,
    /** The requirements that were broken, in their order, each time that they were. */
    broken: (): readonly string[] => said.filter(({ holds }) => !holds).map(({ id }) => id),
    gap: (): void => {
      oracle.accept({ type: 'gap', at: tick() });
    },
    claim: (petIds: readonly bigint[]): void => {
      oracle.accept({ type: 'pets-ours', petIds: new Set(petIds), at: tick() });
    },
    /** The configuration names these pets as existing. */
    name: (petIds: readonly bigint[]): void => {
      oracle.accept({ type: 'pets-named', petIds: new Set(petIds) });
    },
    replacing: () => {
      const from = tick();
      oracle.accept({ type: 'inventory-replacement-begun', at: from });
      return (items: readonly InventoryItem[] | null): void => {
        oracle.accept({ type: 'inventory-replaced', items, from, at: tick() });
      };
    },
    /** @param isRefused whether it is known already that it is refused */
    send: (request: RequestMessage, credential = VALID, isRefused = false) => {
      requests += 1;
      const id = requests;
      const sentAt = tick();
      const sent = { id, request, credential, at: sentAt } as const;
      oracle.accept({ type: 'request-sent', ...sent, ...(isRefused ? { isRefused } : {}) });
      return {
        lose: (): void => {
          oracle.accept({ type: 'response-lost', id, at: tick() });
        },
        /** No response comes, however often it is sent. */
        leave: (): void => {
          oracle.accept({ type: 'response-lost', id, at: tick() });
          const found = { words: 'No response came.', since: 'others answered', at: tick() } as const;
          said.push(...oracle.accept({ type: 'request-unanswered', request, credential, ...found }));
        },
        answer: (status: number, body?: JsonValue, fields: ReturnType<typeof rateLimitFields> = []): void => {
          const answer = sampleExchange({
            status,
            headers: [['Content-Type', 'application/json'], ...fields],
            body: body === undefined ? '' : stringifyJson(body),
            sentAt,
            receivedAt: tick(),
          });
          const exchange = { ...answer, request: { ...request, path: `/v1${request.path}` } };
          said.push(...oracle.accept({ type: 'response-received', id, exchange }));
        },
      };
    },
  };
}

export function listMessage(path = '/inventory'): RequestMessage {
  return { operation: 'listInventory', method: 'GET', path, headers: [], body: null };
}

export function updateRequest(petId: bigint | string, body: string): RequestMessage {
  return {
    operation: 'updateInventory',
    method: 'PATCH',
    path: `/inventory/${petId}`,
    headers: [['Content-Type', 'application/json']],
    body,
  };
}

/** An item as it stands in an answer. */
export function itemJson({ petId, quantity, status }: InventoryItem): JsonValue {
  return { petId, quantity, status };
}

/** A list of pets that stand at the same. */
export function itemsOf(...petIds: readonly bigint[]): JsonValue {
  return petIds.map((petId) => itemJson({ petId, quantity: 5, status: 'sold' }));
}
