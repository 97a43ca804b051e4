import { earlyRequests, isTolerable } from '../records/early-requests.ts';
import type { ClientJudge } from '../records/record.ts';
import { answersOf } from '../records/traffic-reading.ts';

const ID = 'client-avoids-ban';

/** The client does not go on after 429s until a server would ban it. */
export const banConduct: ClientJudge = {
  id: 'ban',
  title: 'The client does not drive itself into a ban',
  judges: [ID],
  judge: (record, say) => {
    const answers = answersOf(record);
    if (!record.traffic.droveIntoBan) {
      if (answers.some(({ response }) => response.status === 429)) {
        say.pass(ID);
      }
      return;
    }
    const tooEarly = earlyRequests(record).filter((request) => !isTolerable(request));
    const count = new Set(tooEarly.map(({ request }) => request)).size;
    say.fail(
      ID,
      `After 429s ${count} requests were sent before they were allowed, and the key was banned.`,
      'Stop sending at a 429 until Retry-After has passed, in everything that uses the key, and give up after a few attempts.',
      answers.at(-1),
    );
  },
};
