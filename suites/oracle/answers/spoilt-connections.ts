import { SERVER_REQUIREMENTS, type RequirementId } from '../../../contract/requirements/index.ts';
import type { HistoryMonitor } from '../history-monitor.ts';
import type { SpoiltConnection } from '../history.ts';

const OF_OTHER_STATUS: RequirementId = 'valid-key-accepted';

/** A connection stays usable, whatever was answered on it (RFC 9112, section 9.3). */
export const spoiltConnectionsMonitor: HistoryMonitor = {
  id: 'reused-connections',
  title: 'A connection can be used again after each answer',
  judges: [
    ...SERVER_REQUIREMENTS.filter(({ refusal }) => refusal !== undefined).map(({ id }) => id),
    OF_OTHER_STATUS,
  ],
  open: (_context, report) => (event) => {
    if (event.type === 'connection-spoilt') {
      report.judge(requirementOf(event), false, () => describe(event), event.exchange);
    }
  },
};

/** The requirement that an answer does not meet which leaves its connection unusable. */
function requirementOf({ before: { status } }: SpoiltConnection): RequirementId {
  return SERVER_REQUIREMENTS.find(({ refusal }) => refusal === status)?.id ?? OF_OTHER_STATUS;
}

function describe({ before, stray, times, exchange }: SpoiltConnection): string {
  const { request, response } = exchange;
  const [got, therefore, cause] =
    stray === undefined
      ? [
          'got no response',
          'it stays open, but the target answers nothing on it any more, so a client that reuses its connections hangs',
          'leaves the body of the earlier request unread',
        ]
      : [
          stray === response.status
            ? `was answered ${stray} without X-RateLimit-Limit`
            : `was answered ${stray}`,
          'the target answers something else than the request there, so a client that reuses its connections gets wrong answers',
          'leaves the body of the earlier request unread and reads it as the beginning of the next one',
        ];
  return `${request.method} ${request.path} ${got} on a connection on which ${before.words} just before. On a new connection it was answered ${response.status}. That happened each of ${times} times that a connection was used again after such an answer: ${therefore}. A server does that if it ${cause}. From here on this run sends each request on a connection of its own.`;
}
