import { isAccepted, type Exchange } from '../exchange.ts';
import type { HistoryMonitor } from '../history-monitor.ts';

/** A key that is refused and then accepted again was neither revoked nor unknown. */
export const returningKeysMonitor: HistoryMonitor = {
  id: 'returning-keys',
  title: 'A valid key is not refused for a while',
  judges: ['valid-key-accepted'],
  open: (context, report) => {
    // The first refusal of each key since it was accepted.
    const refused = new Map<string, Exchange>();
    return (event) => {
      if (
        event.type === 'key-revocation-begun' ||
        event.type === 'key-revoked' ||
        event.type === 'key-forgotten'
      ) {
        // From then on it is right to refuse it, and to accept it for a last time.
        refused.delete(event.key);
        return;
      }
      const sent = event.type === 'response-received' ? context.requestOf(event.id) : undefined;
      const credential = sent?.credential;
      if (event.type !== 'response-received' || credential === undefined || !('key' in credential)) {
        return;
      }
      const { key: label } = credential;
      if (label === null || context.keyOf(label)?.isExclusive !== true) {
        return;
      }
      const { exchange } = event;
      const before = refused.get(label);
      const { request, response } = exchange;
      if (response.status === 401) {
        const isValid = credential.kind === 'valid' && request.operation !== null;
        if (before === undefined && isValid && !context.mayBeBanned(label, exchange)) {
          refused.set(label, exchange);
        }
      } else if (before !== undefined && isAccepted(exchange) && exchange.sentAt >= before.receivedAt) {
        refused.delete(label);
        report.judge(
          'valid-key-accepted',
          false,
          () =>
            `${label} was answered 401, though it is valid and was accepted after that, and had kept every Retry-After.`,
          before,
        );
      }
    };
  },
};
