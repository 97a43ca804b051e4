import { header, type Exchange } from '../exchange.ts';
import type { SentRequest } from '../history.ts';
import type { InventoryList } from '../inventory-list.ts';
import { readFields } from '../answers/request-fields.ts';
import { MOST_KNOWN_PETS } from './known-store.ts';

// Of keys that asked last.
const MOST_LISTS = 16;
// What a weak tag stands for may differ in what the server thinks is minor.
const STRONG_TAG = /^"[^"]*"$/;

/** Keeps the last list that each key got, with its tag: 304 to that says that the list is still that one (RFC 9110, section 15.4.5). */
export function keepTaggedLists() {
  const lists = new Map<string | null, { readonly tag: string; readonly list: InventoryList }>();
  return {
    keep: (exchange: Exchange, list: InventoryList): void => {
      const tag = header(exchange, 'ETag') ?? '';
      lists.delete(exchange.key);
      if (STRONG_TAG.test(tag) && list.length <= MOST_KNOWN_PETS) {
        const [oldest = null] = lists.size < MOST_LISTS ? [] : lists.keys();
        lists.delete(oldest);
        lists.set(exchange.key, { tag, list });
      }
    },
    /** The list that 304 to a request stands for, if its key got that and nothing else of the request is open. */
    toldOf: ({ request, credential }: SentRequest): InventoryList | undefined => {
      const others = request.headers.filter((field) => !isTag(field));
      const tag = request.headers.find(isTag)?.[1];
      const kept = credential.kind === 'valid' ? lists.get(credential.key) : undefined;
      const isClear = others.length === request.headers.length - 1 && request.body === null;
      const isTold = isClear && readFields({ ...request, headers: others }) === 'plain';
      return isTold && kept?.tag === tag ? kept?.list : undefined;
    },
  };
}

function isTag([name]: readonly [string, string]): boolean {
  return /^if-none-match$/i.test(name);
}
