import type { ClientJudge, ScenarioRecord } from '../records/record.ts';
import { answersOf } from '../records/traffic-reading.ts';

/** Whether the key goes along to another host. */
export const redirects: ClientJudge = {
  id: 'redirects',
  title: 'What the client sends along to another host',
  judges: ['client-keeps-key-from-others'],
  judge: (record, say) => {
    const isRedirected = answersOf(record).some(
      ({ response }) => response.status >= 300 && response.status < 400,
    );
    if (isRedirected) {
      say.observe('client-keeps-key-from-others', conductOf(record));
    }
  },
};

function conductOf({ traffic: { elsewhere }, apiKey }: ScenarioRecord): string {
  if (elsewhere.length === 0) {
    return 'does not follow';
  }
  const takesKey = elsewhere.some(
    ({ target, headers, body }) =>
      target.includes(apiKey) || headers.some(([, value]) => value.includes(apiKey)) || body.includes(apiKey),
  );
  return takesKey ? 'takes the key along' : 'follows without the key';
}
