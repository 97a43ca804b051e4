import { onTestFinished } from 'vitest';
import { Agent } from 'undici';

import { parseJson } from '../../contract/json/index.ts';
import type { HeaderField } from '../../contract/verdict.ts';
import type { Received } from '../testing.test-data.ts';

/** A request by its key; a GET of the inventory if it sets nothing. */
export interface FloodRequest {
  readonly key: string;
  /** A pet and the quantity that it gets. */
  readonly update?: { readonly petId: string; readonly quantity: number };
}

export interface Flood {
  /** Sends all at once, over as many connections as there are. */
  readonly send: (requests: readonly FloodRequest[]) => Promise<readonly Received[]>;
  /** Sends one request after the other on every connection until the work is done. */
  readonly during: <Result>(request: FloodRequest, work: () => Promise<Result>) => Promise<Result>;
}

/** Opens connections to a server, with requests of a key that have to have room, until the test ends. */
export async function openFlood(url: string, connections: number, key: string): Promise<Flood> {
  const agent = new Agent({ connections });
  onTestFinished(() => agent.close());
  const { origin, pathname } = new URL(url);

  async function sendOne({ key, update }: FloodRequest): Promise<Received> {
    const { statusCode, headers, body } = await agent.request({
      origin,
      path: `${pathname}/inventory${update === undefined ? '' : `/${update.petId}`}`,
      method: update === undefined ? 'GET' : 'PATCH',
      headers: { Authorization: `Bearer ${key}` },
      ...(update === undefined ? {} : { body: JSON.stringify({ quantity: update.quantity }) }),
    });
    return {
      status: statusCode,
      headers: Object.entries(headers).map(([name, value]): HeaderField => [name, String(value)]),
      body: parseJson(await body.text()),
    };
  }

  const send: Flood['send'] = (requests) => Promise.all(requests.map(sendOne));
  // Requests on connections that are open already arrive together.
  await send(Array.from({ length: connections }, () => ({ key })));

  return {
    send,
    during: async (request, work) => {
      const stop = new AbortController();
      const lanes = Array.from({ length: connections }, async () => {
        while (!stop.signal.aborted) {
          await sendOne(request);
        }
      });
      try {
        return await work();
      } finally {
        stop.abort();
        await Promise.all(lanes);
      }
    },
  };
}
