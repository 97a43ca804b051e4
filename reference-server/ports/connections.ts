import type { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

import type { Connection } from '../service/messages.ts';
import type { IncomingBody } from './body-reader.ts';

/** What is under way on one connection. */
export interface ConnectionState {
  readonly connection: Connection;
  /** The newest request if it has content; others are let go, which spares the garbage collector. */
  incoming: IncomingMessage | undefined;
  body: IncomingBody | undefined;
  /** The newest response that could not be written at once; no other one is on its way after it. */
  awaited: ServerResponse | undefined;
  /** Whether the parser has given up: no further request can come. */
  failed: boolean;
}

/** The connections of one listener on which a request has begun. */
export interface Connections {
  readonly stateOf: (socket: Duplex) => ConnectionState;
  readonly has: (socket: Duplex) => boolean;
}

export function createConnections(): Connections {
  const states = new WeakMap<Duplex, ConnectionState>();
  let count = 0;

  function begin(socket: Duplex): ConnectionState {
    count += 1;
    const connection = {
      id: count,
      remoteAddress: (socket instanceof Socket ? socket.remoteAddress : undefined) ?? '',
      drop: () => {
        socket.destroy();
      },
    };
    const state = { connection, incoming: undefined, body: undefined, awaited: undefined, failed: false };
    states.set(socket, state);
    return state;
  }

  return {
    stateOf: (socket) => states.get(socket) ?? begin(socket),
    has: (socket) => states.has(socket),
  };
}

/** Runs `then` once all responses of a connection are written: now, or when the last of them is. */
export function afterResponses({ awaited }: ConnectionState, then: () => void): void {
  if (awaited === undefined || awaited.writableFinished) {
    then();
  } else {
    awaited.once('finish', then);
  }
}
