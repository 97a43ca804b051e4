import { spoilConnections } from '../alterations/responses.ts';
import type { RequirementId } from '../../contract/requirements/index.ts';
import type { Alteration, Row } from '../alterations/alteration.ts';
import type { ServiceResponse } from '../service/messages.ts';

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
  /** Set if it leaves requests without an answer: milliseconds after which one is given up, long enough to show it. */
  readonly patience?: number;
  readonly alter: Alteration;
}

// Each excludes what closes the connection, so that nobody uses it again.
const CLOSING = ['connection-closed-after-each-response', 'connection-closed-after-each-refusal'];

/** Each update that is answered so leaves its connection open, and nothing on it is answered afterwards. */
export function hangsAfter(status: number, breaks: Fault['breaks']): Fault {
  return {
    id: `connection-hangs-after-${status}`,
    title: `After a PATCH that is answered ${status} nothing on its connection is answered`,
    breaks,
    excludes: CLOSING,
    patience: 3_000,
    alter: spoilConnections(isUpdateAnswered(status), () => Promise.withResolvers<never>().promise),
  };
}

const NOT_HTTP: ServiceResponse = {
  status: 400,
  headers: ['Content-Type', 'text/plain', 'Content-Length', '11', 'Connection', 'close'],
  body: 'Bad Request',
};

/** The body of each update that is answered so is left unread, and read as the beginning of the next request. */
export function leavesBodyAfter(status: number, breaks: Fault['breaks']): Fault {
  return {
    id: `body-left-unread-after-${status}`,
    title: `The body of a PATCH that is answered ${status} is read as the next request on its connection`,
    breaks,
    excludes: CLOSING,
    alter: spoilConnections(isUpdateAnswered(status), () => NOT_HTTP),
  };
}

function isUpdateAnswered(status: number): Parameters<typeof spoilConnections>[0] {
  return ({ method }, response) => method === 'PATCH' && response.status === status;
}

/** The faults that break one requirement, by their ids. */
export function breaking(
  breaks: RequirementId,
  faults: Readonly<Record<string, Row<Omit<Fault, 'id' | 'title' | 'breaks' | 'alter'>>>>,
): readonly Fault[] {
  return Object.entries(faults).map(([id, [title, alter, further]]) =>
    Object.assign({ id, title, breaks, alter }, further),
  );
}
