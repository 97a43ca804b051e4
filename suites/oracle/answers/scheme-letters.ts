import { BAN_STATUSES } from '../../../contract/bans.ts';
import { isAccepted } from '../exchange.ts';
import type { HistoryMonitor } from '../history-monitor.ts';

/** A good key whose scheme is written in other letters serves as well (RFC 9110, section 11.1). */
export const schemeLettersMonitor: HistoryMonitor = {
  id: 'scheme-letters',
  title: 'The scheme Bearer is the same in any letter-case',
  judges: ['bearer-any-case'],
  open: (context, report) => (event) => {
    const sent = event.type === 'response-received' ? context.requestOf(event.id) : undefined;
    const credential = sent?.credential;
    if (event.type !== 'response-received' || credential?.kind !== 'open' || credential.key === null) {
      return;
    }
    const { exchange } = event;
    const { status } = exchange.response;
    const mayBeBanned = BAN_STATUSES.has(status) && context.mayBeBanned(credential.key, exchange);
    const isList = sent?.request.operation === 'listInventory';
    if (credential.isOnlyLetterCase === true && isList && status !== 429 && !mayBeBanned) {
      const message = () => `"${exchange.authorization}" was answered ${status}.`;
      report.judge('bearer-any-case', isAccepted(exchange), message, exchange);
    }
  },
};
