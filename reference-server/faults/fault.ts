import { silenceConnections } from '../alterations/responses.ts';
import type { RequirementId } from '../../contract/requirements/index.ts';
import type { Alteration } from '../alterations/alteration.ts';

/** Without a ban that outlasts the limit there is nothing to see. */
export const NO_LASTING_BAN = ['no-ban', 'ban-of-five-seconds'];

/** One violation of the specification. */
export interface Fault {
  /** In words joined by hyphens. */
  readonly id: string;
  /** What is wrong, in a sentence without a stop. */
  readonly title: string;
  /** The requirement that it breaks, a must or a should. */
  readonly breaks: RequirementId;
  /** Others that the same behaviour breaks just as directly, so that a report may begin with any of them. */
  readonly alsoBreaks?: readonly RequirementId[];
  /** Freedoms, or ids of variants, that would take away what is wrong; never combined with it. */
  readonly excludes?: readonly string[];
  readonly alter: Alteration;
}

/** Each update that is answered so leaves its connection open, and nothing on it is answered afterwards. */
export function hangsAfter(status: number, breaks: Fault['breaks']): Fault {
  return {
    id: `connection-hangs-after-${status}`,
    title: `After a PATCH that is answered ${status} nothing on its connection is answered`,
    breaks,
    excludes: ['connection-closed-after-each-response', 'connection-closed-after-each-refusal'],
    alter: silenceConnections(({ method }, response) => method === 'PATCH' && response.status === status),
  };
}
