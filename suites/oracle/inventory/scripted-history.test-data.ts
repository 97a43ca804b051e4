import type { InventoryItem } from '../../../contract/inventory.ts';
import { stringifyJson, type JsonValue } from '../../../contract/json/index.ts';
import type { RequestMessage } from '../exchange.ts';
import { sampleExchange } from '../exchange.test-data.ts';
import type { Credential } from '../history.ts';
import type { HistoryMonitor, OracleJudgement, StrangeChanges } from '../history-monitor.ts';
import { openOracle } from '../oracle.ts';
import { followServerClock } from '../server-clock.ts';
import { inventoryMonitor } from './inventory-monitor.ts';

/** A history as a test tells it, and what the inventory's monitor says of it. */
export interface ScriptedHistory {
  readonly replacing: () => (items: readonly InventoryItem[] | null) => void;
  /** @param isRefused whether it is known already that it is refused */
  readonly send: (request: RequestMessage, credential?: Credential, isRefused?: boolean) => ScriptedRequest;
  readonly gap: () => void;
  readonly claim: (petIds: readonly bigint[]) => void;
  /** The configuration names these pets as existing. */
  readonly name: (petIds: readonly bigint[]) => void;
  /** Lets time pass in which nothing is sent. */
  readonly pass: (milliseconds: number) => void;
  readonly strangeChanges: () => StrangeChanges;
  readonly said: readonly OracleJudgement[];
  /** The requirements that were broken, in their order, each time that they were. */
  readonly broken: () => readonly string[];
}

interface ScriptedRequest {
  /** No response comes, however often it is sent. */
  readonly leave: () => void;
  readonly answer: (status: number, body?: JsonValue) => void;
  readonly lose: () => void;
}

export const VALID: Credential = { kind: 'valid', key: 'free#1' };

/** @param monitor that of the inventory by default */
export function openScriptedHistory(monitor: HistoryMonitor = inventoryMonitor): ScriptedHistory {
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
    pass: (milliseconds) => {
      moments += milliseconds;
    },
    strangeChanges: oracle.strangeChanges,
    broken: () => said.filter(({ holds }) => !holds).map(({ id }) => id),
    gap: () => {
      oracle.accept({ type: 'gap', at: tick() });
    },
    claim: (petIds) => {
      oracle.accept({ type: 'pets-ours', petIds: new Set(petIds), at: tick() });
    },
    name: (petIds) => {
      oracle.accept({ type: 'pets-named', petIds: new Set(petIds) });
    },
    replacing: () => {
      const from = tick();
      oracle.accept({ type: 'inventory-replacement-begun', at: from });
      return (items) => {
        oracle.accept({ type: 'inventory-replaced', items, from, at: tick() });
      };
    },
    send: (request, credential = VALID, isRefused = false) => {
      requests += 1;
      const id = requests;
      const sentAt = tick();
      const sent = { id, request, credential, at: sentAt } as const;
      oracle.accept({ type: 'request-sent', ...sent, ...(isRefused ? { isRefused } : {}) });
      return {
        lose: () => {
          oracle.accept({ type: 'response-lost', id, at: tick() });
        },
        leave: () => {
          oracle.accept({ type: 'response-lost', id, at: tick() });
          const found = { words: 'No response came.', since: 'others answered', at: tick() } as const;
          said.push(...oracle.accept({ type: 'request-unanswered', request, credential, ...found }));
        },
        answer: (status, body) => {
          const answer = sampleExchange({
            status,
            headers: [['Content-Type', 'application/json']],
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
