import type { RequirementId } from '../../../contract/requirements/index.ts';
import type { ClientOutcome } from '../drivers/driver.ts';
import type { ObservedValue } from '../../oracle/index.ts';
import type { ClientScenario } from '../scenarios/scenario.ts';
import type { ClientExchange, Traffic } from './traffic.ts';

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
}

/** Takes down what a judge says of a record. */
export interface Say {
  readonly pass: (id: RequirementId) => void;
  /** @param change what the vendor would change, in a sentence */
  readonly fail: (id: RequirementId, message: string, change: string, exchange?: ClientExchange) => void;
  readonly inconclusive: (id: RequirementId, message: string) => void;
  /** @param reason why this record shows nothing of it */
  readonly skip: (id: RequirementId, reason: string) => void;
  readonly observe: (id: RequirementId, value: ObservedValue, facet?: string) => void;
}

/** Judges one side of a client's conduct in every scenario; a pure function of the record. */
export interface ClientJudge {
  readonly id: string;
  readonly title: string;
  readonly judges: readonly RequirementId[];
  readonly judge: (record: ScenarioRecord, say: Say) => void;
}
