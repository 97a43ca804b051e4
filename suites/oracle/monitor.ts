import type { RequirementId } from '../../contract/requirements/index.ts';
import type { Explanation } from '../../contract/verdict.ts';
import type { Exchange } from './exchange.ts';
import type { ObservedValue } from './judgements/judgements.ts';
import type { Key } from './keys.ts';
import type { ServerClock } from './server-clock.ts';

/** What a monitor may know besides the exchange itself. */
export interface Circumstances {
  /** The key that the request carried in good order, or `null`. */
  readonly key: Key | null;
  /** The key went on after a 429 without waiting, so that it may be banned. */
  readonly mayBeBanned: boolean;
  /** Whether another key may be banned just now. */
  readonly mayOtherBeBanned: () => boolean;
  readonly clock: ServerClock;
}

/** Takes what a monitor sees in one exchange; the runner adds the exchange as evidence. */
export interface Reporter {
  /**
   * Judges one requirement by this exchange, once, so that responses can be counted.
   * @param others requirements that explain a violation as well, the likeliest first
   * @returns `holds`
   */
  judge(
    id: RequirementId,
    holds: boolean,
    message: () => string,
    others?: () => readonly Explanation[],
  ): boolean;
  observe(id: RequirementId, value: ObservedValue, facet?: string): void;
}

/** An invariant of every exchange, whichever check provoked it. */
export interface Monitor {
  readonly id: string;
  readonly title: string;
  readonly judges: readonly RequirementId[];
  readonly watch: (exchange: Exchange, report: Reporter, circumstances: Circumstances) => void;
}
