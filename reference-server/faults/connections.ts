import { silenceConnections } from '../alterations/responses.ts';
import type { Fault } from './fault.ts';

/** Each update that is answered so leaves its connection open, and nothing on it is answered afterwards. */
function hangsAfter(status: number, breaks: Fault['breaks']): Fault {
  return {
    id: `connection-hangs-after-${status}`,
    title: `After a PATCH that is answered ${status} nothing on its connection is answered`,
    breaks,
    excludes: ['connection-closed-after-each-response', 'connection-closed-after-each-refusal'],
    alter: silenceConnections(({ method }, response) => method === 'PATCH' && response.status === status),
  };
}

export const CONNECTIONS_FAULTS: readonly Fault[] = [
  hangsAfter(401, 'missing-key'),
  hangsAfter(400, 'update-missing-quantity'),
  hangsAfter(404, 'update-unknown-pet'),
];
