import type { RecordedExchange } from '../../contract/verdict.ts';
import type { Report } from '../model/report.ts';
import { harEntry, harLog } from './har-entry.ts';

/**
 * The exchanges that findings rest on as an HTTP archive (HAR 1.2), in the order in which they were sent. The comment
 * of an entry names the requirements that it speaks of. Keys are labels, bodies may be cut.
 */
export function renderHar({ requirements, suite }: Report): string {
  const seen = new Map<string, { readonly exchange: RecordedExchange; readonly ids: Set<string> }>();
  for (const { id, findings } of requirements) {
    for (const { exchange } of findings) {
      if (exchange !== undefined) {
        const key = JSON.stringify(exchange);
        const entry = seen.get(key) ?? { exchange, ids: new Set() };
        seen.set(key, entry);
        entry.ids.add(id);
      }
    }
  }
  const entries = [...seen.values()].toSorted((left, right) =>
    left.exchange.sentAt < right.exchange.sentAt ? -1 : 1,
  );
  const log = harLog(
    suite.version,
    entries.map(({ exchange, ids }) => harEntry(exchange, [...ids].join(', '))),
  );
  return `${JSON.stringify({ log }, null, 2)}\n`;
}
