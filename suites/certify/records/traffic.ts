import type { HeaderField } from '../../../contract/verdict.ts';

/** A request that reached the counterparty and its answer; moments in Unix seconds on the counterparty's clock. */
export interface ClientExchange {
  /** When the header section of the request was complete. */
  readonly receivedAt: number;
  /** When the answer was handed to the connection; `null` while it was not. */
  readonly answeredAt: number | null;
  /** The TCP connection; the same number for every request on it. */
  readonly connection: number;
  readonly request: {
    readonly method: string;
    /** As it stood on the wire. */
    readonly target: string;
    readonly headers: readonly HeaderField[];
    readonly body: Buffer;
  };
  readonly response: {
    readonly status: number;
    readonly headers: readonly HeaderField[];
    readonly body: Buffer;
  };
  /** Before this moment the client must not come again; `null` if it may at any time. */
  readonly allowedAt: number | null;
}

/** Everything that the counterparty saw in one scenario, in order of arrival. */
export interface Traffic {
  readonly exchanges: readonly ClientExchange[];
  /** Whether the client went on after 429s so long that its key was banned. */
  readonly droveIntoBan: boolean;
  /** Requests that followed a redirect to another host. */
  readonly elsewhere: readonly ClientExchange['request'][];
}

/** The server that a client talks to in one scenario. */
export interface Counterparty {
  /** Ends in `/v1`. */
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly traffic: () => Traffic;
  /** Resolves at the next request or answer. */
  readonly activity: () => Promise<void>;
  readonly close: () => Promise<void>;
}
