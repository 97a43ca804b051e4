import type { RequirementId } from '../../../contract/requirements/index.ts';
import type { HeaderField } from '../../../contract/verdict.ts';
import type { ClientOutcome } from '../drivers/driver.ts';
import type { ObservedValue } from '../../oracle/index.ts';
import type { ClientScenario } from '../scenarios/scenario.ts';

/** A request that reached the counterparty and its answer; moments in Unix seconds on the counterparty's clock. */
export interface ClientExchange {
  /** When the header section of the request was complete. */
  readonly receivedAt: number;
  /** When the answer was handed to the connection; `null` while it was not. */
  readonly answeredAt: number | null;
  /** The client had closed the connection before, so that the answer reached nobody. */
  readonly isLost?: boolean;
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
  /** What is wrong with the first that came and is no well-formed request of HTTP/1.1, as a sentence; else `null`. */
  readonly malformed: string | null;
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

/** One scenario as it went. */
export interface ScenarioRecord {
  readonly scenario: ClientScenario;
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly traffic: Traffic;
  readonly outcome: ClientOutcome;
  /** Why the client was ended, or `null` if it ended by itself. */
  readonly endedFor: 'silence' | 'unending retries' | 'let go' | 'interruption' | null;
  /** Unix seconds on the counterparty's clock at which the client was started. */
  readonly startedAt: number;
  readonly durationSeconds: number;
  /** For how long at most the machine kept a request from the counterparty, or its answer from the client; 0 if nobody knows. */
  readonly lateSeconds?: number;
}

/** What a judge says of one requirement. */
export type ClientJudgement = { readonly id: RequirementId } & (
  | { readonly kind: 'pass' }
  /** `change` is what the vendor would change, in a sentence. */
  | {
      readonly kind: 'fail';
      readonly message: string;
      readonly change: string;
      readonly exchange?: ClientExchange | undefined;
    }
  | { readonly kind: 'inconclusive'; readonly message: string }
  /** The message says why this record shows nothing of it. */
  | { readonly kind: 'skip'; readonly message: string }
  | { readonly kind: 'observe'; readonly value: ObservedValue; readonly facet?: string | undefined }
);

/** The words of a judge. */
export const say = {
  pass: (id: RequirementId): ClientJudgement => ({ id, kind: 'pass' }),
  fail: (id: RequirementId, message: string, change: string, exchange?: ClientExchange): ClientJudgement => ({
    id,
    kind: 'fail',
    message,
    change,
    exchange,
  }),
  inconclusive: (id: RequirementId, message: string): ClientJudgement => ({
    id,
    kind: 'inconclusive',
    message,
  }),
  skip: (id: RequirementId, message: string): ClientJudgement => ({ id, kind: 'skip', message }),
  observe: (id: RequirementId, value: ObservedValue, facet?: string): ClientJudgement => ({
    id,
    kind: 'observe',
    value,
    facet,
  }),
};

/** Judges one side of a client's conduct in every scenario; a pure function of the record. */
export interface ClientJudge {
  readonly id: string;
  readonly title: string;
  readonly judges: readonly RequirementId[];
  /** @returns nothing if it has no say in the record */
  readonly judge: (record: ScenarioRecord) => ClientJudgement | readonly ClientJudgement[] | null;
}
