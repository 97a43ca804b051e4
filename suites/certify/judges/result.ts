import { compareItems, compareLists } from '../records/compare-inventory.ts';
import type { ClientJudge } from '../records/record.ts';
import {
  answersOf,
  contentOf,
  isAnswered,
  parseBody,
  momentOf,
  clientRequests,
} from '../records/traffic-reading.ts';

const ID = 'client-reports-result';

/** The report of a 200 against what was answered. */
export const result: ClientJudge = {
  id: 'result',
  title: 'The client reports the result that the server answered',
  judges: [ID, 'client-reads-any-json'],
  judge: (record, say) => {
    const { outcome, scenario } = record;
    if (outcome.kind === 'unknown') {
      say.skip(ID, 'Nothing says what the client made of the answer.');
      return;
    }
    if (outcome.kind !== 'replied') {
      return;
    }
    const answers = answersOf(record);
    const success = answers.findLast(({ response }) => response.status === 200);
    const { reply } = outcome;
    if (!reply.ok) {
      const unanswered = clientRequests(record).find((exchange) => !isAnswered(exchange));
      if (success !== undefined && success === answers.at(-1)) {
        say.fail(
          ID,
          `The operation was answered 200 at ${momentOf(record, success.answeredAt)}, and the client reports an error.`,
          'Report the result of a 200 whatever its further members and headers, and allow an answer some seconds.',
          success,
        );
      } else if (answers.length === 0 && unanswered !== undefined) {
        say.fail(
          ID,
          `The client reports an error before the request of ${momentOf(record, unanswered.receivedAt)} was answered.`,
          'Allow an answer some seconds before giving up.',
          unanswered,
        );
      }
      return;
    }
    if (success === undefined) {
      // Where it is judged, the report of an error says so.
      if (!scenario.judges.includes('client-reports-error')) {
        say.fail(
          ID,
          'The client reports a result, and no request of it was answered 200.',
          'Report an error, with status null if no answer came.',
          answers.at(-1),
        );
      }
      return;
    }
    const answered = parseBody(contentOf(success.response));
    if (answered === undefined) {
      return;
    }
    const difference =
      scenario.task.operation === 'listInventory'
        ? compareLists(answered, reply.value)
        : compareItems(answered, reply.value);
    if (difference === null) {
      say.pass(ID);
    } else {
      say.fail(ID, difference.message, difference.change, success);
    }
  },
};
