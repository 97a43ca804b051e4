import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';

import { expect, test } from 'vitest';

import { SEED_KEYS } from '../../fixtures/corpora/index.ts';
import type { ServiceResponse } from '../../reference-server/index.ts';
import { hostileSpellings, keysShown, signingKey, textsIn } from './hostile-spellings.test-data.ts';
import { temporaryDirectory } from '../run-binary.test-data.ts';
import { alterationOf, answering, startTarget, verifyTarget, withoutErrorCode } from './run.test-data.ts';

const OUTPUTS = '--report report --history history.ndjson --certificate certificate.json'.split(' ');

/** A response that repeats the key in its header section and, if it is an Error, in its message. */
function echoing(response: ServiceResponse, key: string): ServiceResponse {
  const message = hostileSpellings(key).join(' ').replaceAll('"', '');
  const isError = typeof response.body === 'string' && response.status >= 400;
  const body = isError
    ? response.body.replace(/"message":"/, () => `"message":"${message.replaceAll('\\-', '-')} `)
    : response.body;
  const at = response.headers.indexOf('Content-Length');
  const headers = isError ? response.headers.with(at + 1, `${Buffer.byteLength(body)}`) : response.headers;
  const spellings = hostileSpellings(key);
  const repeated = ['X-Repeated', spellings[key.length % spellings.length] ?? key];
  return { ...response, headers: [...headers, ...repeated], body };
}

test.each([
  [
    'with issued keys',
    true,
    ['minute-limit-free', 'day-limit-free', 'key-revoked-now', 'altered-keys-elsewhere'],
  ],
  ['with the configured keys only', false, ['altered-keys', 'credential-spellings', 'revoked-keys']],
] as const)(
  'no key is shown in a report or on the terminal, though the target repeats each: %s',
  async (_circumstance, control, checks) => {
    const secrets = new Set(SEED_KEYS.map(({ key }) => key));
    const { description } = await startTarget({
      control,
      alterations: [
        alterationOf('quantity-as-string-once'),
        withoutErrorCode,
        {
          parts: ({ keys }) => ({
            keys: {
              ...keys,
              issue: (plan, limits) => {
                const record = keys.issue(plan, limits);
                secrets.add(record.key);
                return record;
              },
            },
          }),
          ...answering(async (request, service) => {
            const response = await service.respond(request);
            const at = request.headers.findIndex((name) => name.toLowerCase() === 'authorization');
            const sent = at === -1 ? '' : (request.headers[at + 1] ?? '');
            return echoing(response, sent.replace(/^bearer /i, ''));
          }),
        },
      ],
    });
    const directory = temporaryDirectory();
    const only = [...checks, 'check:list', 'bad-bodies', 'keyless-reads'].flatMap((id) => ['--only', id]);
    const { exitCode, stdout, stderr } = await verifyTarget(
      description,
      [...OUTPUTS, '--certificate-key', '$SIGNING_KEY', ...only],
      directory,
      { SIGNING_KEY: signingKey() },
    );
    expect(exitCode).toBe(1);
    expect(readdirSync(join(directory, 'report'))).toEqual(
      expect.arrayContaining(['junit.xml', 'report.html', 'report.json', 'report.md']),
    );
    const texts = [
      { name: 'stdout', text: stdout },
      { name: 'stderr', text: stderr },
      ...textsIn(directory).filter(({ name }) => !name.endsWith('config.json')),
    ];
    expect(keysShown(secrets, texts)).toEqual([]);
    const names = texts.map(({ name }) => basename(name));
    expect(names).toEqual(expect.arrayContaining(['history.ndjson', 'certificate.transcript.jsonl.gz']));
    expect(texts.find(({ name }) => name.endsWith('out.json'))?.text).toContain('free#');
  },
);
