import type { HeaderField } from '../../../contract/verdict.ts';
import type { ResponseMessage } from '../../oracle/index.ts';

/** A request of recorded traffic, whoever made it. Moments are Unix milliseconds on the recorder's clock. */
export interface TrafficRequest {
  readonly method: string;
  /** Absolute, as `absoluteUrl` spells it. */
  readonly url: string;
  readonly headers: readonly HeaderField[];
  /** `null` if there was none, `undefined` if it was not recorded. */
  readonly body: string | Uint8Array | null | undefined;
  readonly sentAt: number;
}

/** How a request ended. */
export interface TrafficExchange {
  readonly request: TrafficRequest;
  /** `null` if no response came. */
  readonly response:
    | (Pick<ResponseMessage, 'status' | 'headers' | 'omittedHeaders'> & {
        /** Without content coding; `undefined` if it was not recorded. */
        readonly body: Buffer | undefined;
      })
    | null;
  /** Set if something before the service answered, so that the service may never have seen the request. */
  readonly isLocal?: true;
  /** When the last byte of the response came in, or the request was given up. */
  readonly endedAt: number;
}
