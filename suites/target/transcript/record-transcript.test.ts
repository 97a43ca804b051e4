import { gunzipSync } from 'node:zlib';

import { expect, test } from 'vitest';

import { credentialVariants } from '../../../fixtures/corpora/index.ts';
import { sampleExchange } from '../../oracle/exchange.test-data.ts';
import { freeKey } from '../../oracle/monitors/watch.test-data.ts';
import { followServerClock } from '../../oracle/index.ts';
import { beginHistory } from '../history.ts';
import { listInventory } from '../http/operations.ts';
import { createSecretFinder } from '../redaction/secret-finder.ts';
import { recordTranscript } from './record-transcript.ts';

const KEY = freeKey({ secret: 'business-abcQRSdefTUVghi42' });
const SHORTEST = 8;

/** Ways in which a target may repeat what it was sent. */
const REPEATED: Readonly<Record<string, (sent: string) => string>> = {
  'as it is': (sent) => sent,
  'in base64': (sent) => Buffer.from(sent).toString('base64'),
  'percent-encoded': encodeURIComponent,
  'in escapes of JSON': (sent) =>
    sent.replaceAll(/./g, (character) => `\\u00${Buffer.from(character).toString('hex')}`),
};

const MADE_OF_KEY = credentialVariants(KEY.secret, []).filter(
  ({ name, authorization }) => !/never issued|the word/.test(name) && authorization.length === 1,
);

test.each(Object.entries(REPEATED))(
  'no near miss of a key stands in a transcript, though the target repeats it %s',
  async (_way, repeat) => {
    const transcript = recordTranscript();
    const { tell } = transcript.history(beginHistory(followServerClock()));
    tell({ type: 'key-known', key: KEY });
    const finder = createSecretFinder();
    for (const [id, { authorization }] of MADE_OF_KEY.entries()) {
      const [sent = ''] = authorization;
      const token = sent.replace(/^\S+\s+/, '').trim();
      if (token.length >= SHORTEST) {
        finder.add(token, token);
      }
      const sentAt = 2 * id;
      tell({ type: 'request-sent', id, request: listInventory(), authorization, spender: null, at: sentAt });
      const repeated = repeat(sent);
      const body = `{"message":${JSON.stringify(repeated)}}`;
      const exchange = sampleExchange({ status: 401, headers: [['X-Seen', repeated]], body, sentAt });
      tell({ type: 'response-received', id, exchange });
    }
    const text = gunzipSync(await transcript.finish({ do: 'begin' })).toString();
    expect(MADE_OF_KEY.length).toBeGreaterThan(20);
    expect(finder.find(text).map(({ from, to }) => text.slice(from, to))).toEqual([]);
  },
);
