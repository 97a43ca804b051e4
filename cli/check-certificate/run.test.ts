import { statSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { Ajv2020 } from 'ajv/dist/2020.js';
import { beforeAll, expect, test } from 'vitest';

import { directoryOfFile, temporaryDirectory } from '../../contract/temporary-directory.test-data.ts';
import schema from '../../reports/certificate/certificate-check.schema.json' with { type: 'json' };
import { readPublicKey } from '../../reports/index.ts';
import {
  byVersion,
  opened,
  safeCertificate,
  sealedAgain,
  SIGNER,
} from '../library/certificate/certificate.test-data.ts';
import type { SignedCertificate } from '../library/certificate/attest.ts';
import { refusalOf } from '../refusal.test-data.ts';
import { runProgram } from '../program.ts';
import { runCheck } from './run.ts';

const directory = directoryOfFile();
const at = (name: string): string => join(directory, name);
const KEY = at('signer.pub');
let certificate: SignedCertificate;

function write(name: string, { envelope, transcript }: SignedCertificate): string {
  writeFileSync(at(name), envelope);
  writeFileSync(at(`${name.replace(/\.json$/, '')}.transcript.jsonl.gz`), transcript);
  return at(name);
}

beforeAll(async () => {
  certificate = await safeCertificate();
  writeFileSync(KEY, SIGNER.publicKey.export({ type: 'spki', format: 'pem' }));
  write('certificate.json', certificate);
  writeFileSync(at('cut.json'), certificate.envelope.slice(0, 500));
  writeFileSync(at('list.json'), '[]');
  writeFileSync(at('no-key.pem'), 'no key');
});

const surroundings = () => ({ environment: {}, directory });

/** The command's exit code, and what it printed. */
async function check(file: string, transcript?: string, key: string = KEY) {
  let printed = '';
  const flags = transcript === undefined ? { key } : { key, transcript };
  const exitCode = await runCheck({ operands: [file], flags, surroundings: surroundings() }, (text) => {
    printed += text;
  });
  return { exitCode, printed };
}

test('a certificate that holds exits 0, and says what it attests', async () => {
  const { exitCode, printed } = await check(at('certificate.json'));
  expect(exitCode).toBe(0);
  expect(printed).toContain('✓ The certificate holds');
  expect(printed).toMatch(/^Attested {6}conformant in profile safe: \d+ of 55 MUSTs judged/m);
  expect(printed).toMatch(
    /^Judged again {2}\d+ requests in one history; \d+ requirements, none of which contradicts what is attested$/m,
  );
  expect(printed).toMatch(/^On trust {6}that the transcript is of this subject/m);
});

test('one that an earlier build made of a run in profile standard still holds', async () => {
  const earlier = join(import.meta.dirname, 'earlier');
  const file = join(earlier, 'certificate.json');
  const { exitCode, printed } = await check(file, undefined, join(earlier, 'signer.pem.pub'));
  expect(printed).toContain('557 requests in one history');
  expect(printed).toMatch(/^Power .*, which is not the one of this build$/m);
  expect(exitCode).toBe(0);
});

test('what came of it is JSON that fits its schema', async () => {
  const matches = new Ajv2020({ allErrors: true }).compile(schema);
  const jsonOf = async (held: SignedCertificate): Promise<unknown> => {
    const file = write('certificate.json', held);
    const flags = { key: KEY, json: at('check.json') };
    await runCheck({ operands: [file], flags, surroundings: surroundings() }, () => {});
    const written: unknown = JSON.parse(readFileSync(at('check.json'), 'utf8'));
    matches(written);
    expect(matches.errors ?? []).toEqual([]);
    return written;
  };
  const transcript = Buffer.concat([certificate.transcript, Buffer.from([0])]);
  expect(await jsonOf({ ...certificate, transcript })).toMatchObject({ state: 'fails', again: null });
  expect(await jsonOf(certificate)).toMatchObject({ kind: 'check-certificate', state: 'holds', reasons: [] });
});

test('one that was changed exits 1, and one that cannot be judged again 3', async () => {
  const transcript = Buffer.concat([certificate.transcript, Buffer.from([0])]);
  write('certificate.json', { ...certificate, transcript });
  const changed = await check(at('certificate.json'));
  expect([changed.exitCode, changed.printed]).toEqual([1, expect.stringContaining('its SHA-256 is another')]);
  const later = sealedAgain(byVersion('9.0.0', opened(certificate)));
  write('certificate.json', later);
  const newer = await check(at('certificate.json'));
  expect([newer.exitCode, newer.printed]).toEqual([3, expect.stringContaining('made by stockcheck 9.0.0')]);
  write('certificate.json', certificate);
  const missing = temporaryDirectory();
  writeFileSync(join(missing, 'certificate.json'), certificate.envelope);
  const lonely = await check(join(missing, 'certificate.json'));
  expect([lonely.exitCode, lonely.printed]).toEqual([3, expect.stringContaining('is missing')]);
  const elsewhere = await check(join(missing, 'certificate.json'), at('certificate.transcript.jsonl.gz'));
  expect(elsewhere.exitCode).toBe(0);
});

test.each([
  ['check-certificate nowhere.json --key signer.pub', 'nowhere.json: there is no such file'],
  ['check-certificate certificate.json', '--key FILE is missing'],
  ['check-certificate certificate.json --key no-key.pem', 'it holds no public key in PEM form'],
  ['check-certificate cut.json --key signer.pub', 'is no certificate of stockcheck: it is not JSON'],
  ['check-certificate certificate.json --key signer.pub --transcript none.gz', 'there is no such file'],
  ['verify --self --certificate new.json', '--certificate needs a key to sign with'],
  ['verify --self --certificate -', '--certificate takes a file'],
  ['verify --self --certificate-key signer.pub', 'it holds no private key'],
  ['verify --self --certificate-key $NO_SUCH_KEY', 'there is no such environment variable'],
  ['verify --self --certificate-key @nowhere.pem', 'there is no such file'],
  ['verify --har list.json --certificate new.json', '--certificate has no place beside --har'],
  ['certify --certificate new.json -- true', 'stockcheck keygen FILE'],
])('bad usage is one line and exit code 2: %s', async (line, message) => {
  const words = line.split(' ').map((word) => (/^[\w-]+\.\w+$/.test(word) ? at(word) : word));
  const { exitCode, text } = await refusalOf(words);
  expect([exitCode, text]).toEqual([2, expect.stringContaining(message)]);
  expect(text.trim().split('\n')).toHaveLength(1);
});

test('keygen makes keys that only their owner reads, and never overwrites one', async () => {
  expect(await runProgram(['keygen', at('signing.pem')])).toBe(0);
  expect(statSync(at('signing.pem')).mode & 0o777).toBe(0o600);
  expect(readPublicKey(readFileSync(at('signing.pem.pub'), 'utf8')).asymmetricKeyType).toBe('ed25519');
  const before = readFileSync(at('signing.pem'), 'utf8');
  const { exitCode, text } = await refusalOf(['keygen', at('signing.pem')]);
  expect([exitCode, text]).toEqual([
    2,
    expect.stringContaining('is there already, and keys are never overwritten'),
  ]);
  expect(readFileSync(at('signing.pem'), 'utf8')).toBe(before);
});
