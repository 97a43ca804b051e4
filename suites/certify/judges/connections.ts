import { hideClientKey } from '../records/record-client-exchange.ts';
import { headerValues } from '../../../contract/rate-limit-headers.ts';
import type { ClientJudge } from '../records/record.ts';
import { isAnswered, clientRequests } from '../records/traffic-reading.ts';

/** An idle connection is kept by most servers and clients for at least that long; seconds. */
const KEPT_SECONDS = 4;
const SHOWN_CHARACTERS = 80;

/** Whether the next attempt goes over the same connection, and what the client calls itself. */
export const connections: ClientJudge = {
  id: 'connections',
  title: 'How the client uses connections',
  judges: ['client-reuses-connections'],
  judge: (record, say) => {
    const requests = clientRequests(record);
    const [first, second] = requests;
    if (first === undefined) {
      return;
    }
    const [userAgent] = headerValues(first.request.headers, 'User-Agent');
    say.observe(
      'client-reuses-connections',
      hideClientKey(userAgent ?? 'none', record).slice(0, SHOWN_CHARACTERS),
      'user-agent',
    );
    const isClosed = record.scenario.traits?.includes('closes-connections') === true;
    if (second === undefined || isClosed || !isAnswered(first)) {
      return;
    }
    const pause = second.receivedAt - first.answeredAt;
    if (pause >= 0 && pause < KEPT_SECONDS) {
      say.observe(
        'client-reuses-connections',
        second.connection === first.connection ? 'keeps its connection' : 'opens another connection',
      );
    }
  },
};
