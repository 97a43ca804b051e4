import type { ClientJudge, ScenarioRecord } from '../records/record.ts';
import { answersOf, isLimiting, clientRequests } from '../records/traffic-reading.ts';

/** What the client does at its first 429: with a Retry-After, and with one that cannot be read. */
export const limitedConduct: ClientJudge = {
  id: 'limited-conduct',
  title: 'What the client does at a 429',
  judges: ['client-retries-limited', 'client-unreadable-retry-after'],
  judge: (record, say) => {
    const limited = answersOf(record).find(({ response }) => response.status === 429);
    if (limited === undefined) {
      return;
    }
    const next = clientRequests(record).find(
      (exchange) => exchange !== limited && exchange.receivedAt >= limited.answeredAt,
    );
    if (isLimiting(limited)) {
      const conduct = next === undefined ? conductWithout(record) : 'tries again';
      if (conduct !== null) {
        say.observe('client-retries-limited', conduct, record.scenario.task.operation);
      }
      return;
    }
    const conduct =
      next === undefined ? conductWithout(record) : conductWith(next.receivedAt - limited.answeredAt);
    if (conduct !== null) {
      say.observe('client-unreadable-retry-after', conduct);
    }
  },
};

/** If nothing more was sent. */
function conductWithout({ outcome, endedFor }: ScenarioRecord): string | null {
  switch (outcome.kind) {
    case 'replied':
      return 'gives up';
    case 'broken':
      return 'breaks off';
    case 'ended':
      return endedFor === 'silence' ? 'falls silent' : endedFor === 'let go' ? 'waits' : null;
    case 'unknown':
      return null;
  }
}

function conductWith(waited: number): string {
  if (waited < 0.1) {
    return 'tries again at once';
  }
  return waited < 1 ? 'tries again within a second' : 'tries again after a second or more';
}
