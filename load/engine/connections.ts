import type { Socket } from 'node:net';

import { buildConnector, Client } from 'undici';

import { LARGEST_HEADER_BYTES } from '../../suites/target/index.ts';
import type { LoadTarget } from './load-request.ts';

/** An HTTP/1.1 connection, open or not. */
export interface LoadConnection {
  readonly client: Client;
  isOpen: boolean;
  /** How many bytes have come since it was opened last. */
  readonly bytesRead: () => number;
}

const FIRST_PAUSE_MILLISECONDS = 100;
const LONGEST_PAUSE_MILLISECONDS = 2_000;

export type LoadConnections = ReturnType<typeof createLoadConnections>;

/**
 * Connections to one origin that are opened as they are needed. If the target cannot be connected to, one connection
 * is tried at a time, and less and less often, so that nobody is flooded.
 * @param most connections at once
 */
export function createLoadConnections(target: LoadTarget, most: number) {
  const idle: LoadConnection[] = [];
  const all = new Set<LoadConnection>();
  let opened = 0;
  let connecting = 0;
  let failures = 0;
  let pausedUntil = 0;

  function add(): LoadConnection {
    let socket: Socket | undefined;
    const client = clientOf(target, (opened) => {
      socket = opened;
    });
    const connection: LoadConnection = { client, isOpen: false, bytesRead: () => socket?.bytesRead ?? 0 };
    connection.client.on('connect', () => {
      connection.isOpen = true;
      opened += 1;
      failures = 0;
      pausedUntil = 0;
    });
    connection.client.on('disconnect', () => {
      connection.isOpen = false;
    });
    all.add(connection);
    return connection;
  }

  return {
    /** An idle connection: an open one if there is any, else one to be opened if that may be tried now. */
    take: (): LoadConnection | undefined => {
      if (idle.at(-1)?.isOpen === true) {
        return idle.pop();
      }
      const open = idle.findLastIndex(({ isOpen }) => isOpen);
      if (open !== -1) {
        return idle.splice(open, 1)[0];
      }
      if (failures > 0 && (connecting > 0 || performance.now() < pausedUntil)) {
        return undefined;
      }
      return idle.pop() ?? (all.size < most ? add() : undefined);
    },
    giveBack: (connection: LoadConnection): void => {
      idle.push(connection);
    },
    /** Somebody begins to open a connection, or has ended trying. */
    connecting: (change: 1 | -1): void => {
      connecting += change;
    },
    /** A connection could not be opened. */
    failed: (): void => {
      failures += 1;
      const pause = FIRST_PAUSE_MILLISECONDS * 2 ** (failures - 1);
      pausedUntil = performance.now() + Math.min(LONGEST_PAUSE_MILLISECONDS, pause);
    },
    /** Milliseconds until the next one may be tried; `null` if the last attempt did not fail. */
    pauseLeft: (): number | null => (failures === 0 ? null : Math.max(1, pausedUntil - performance.now())),
    /** Connections opened so far. */
    opened: (): number => opened,
    destroy: async (): Promise<void> => {
      await Promise.all([...all].map(({ client }) => client.destroy()));
    },
  };
}

function clientOf(
  { origin, timeoutMilliseconds, insecure, certificateAuthority }: LoadTarget,
  onOpen: (socket: Socket) => void,
): Client {
  const connect = buildConnector({
    allowH2: false,
    timeout: timeoutMilliseconds,
    rejectUnauthorized: !insecure,
    ...(certificateAuthority === null ? {} : { ca: certificateAuthority }),
  });
  return new Client(origin, {
    pipelining: 1,
    allowH2: false,
    maxHeaderSize: LARGEST_HEADER_BYTES,
    // Those of undici are late by up to a second, so the pool has its own.
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: (options, callback) =>
      connect(options, (...[error, socket]) => {
        if (error !== null) {
          callback(error, null);
          return;
        }
        onOpen(socket);
        callback(null, socket);
      }),
  });
}
