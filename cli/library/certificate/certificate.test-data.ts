import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { gzipSync } from 'node:zlib';

import {
  isJsonObject,
  parseJson,
  stringifyJson,
  type JsonObject,
  objectMember,
} from '../../../contract/json/index.ts';
import { readEnvelope, signStatement } from '../../../reports/index.ts';
import { readLineFile, recordTranscript } from '../../../suites/target/index.ts';
import { startReferenceServer } from '../../../reference-server/index.ts';
import { judgeReferenceServer } from '../verify/judge-reference-server.ts';
import { attest, type SignedCertificate } from './attest.ts';
import { checkEnvelope, type CheckedCertificate } from './check-certificate.ts';
import { transcriptEnd, transcriptHeader } from './transcript-header.ts';
import { digestOf } from './digests.ts';

export const SIGNER = generateKeyPairSync('ed25519');

/** A certificate of the reference server in profile safe, made as `verify` makes it. */
export async function safeCertificate(): Promise<SignedCertificate> {
  const server = await startReferenceServer({ control: false });
  const transcript = recordTranscript();
  try {
    const { report } = await judgeReferenceServer(server, {
      profile: 'safe',
      transport: { timeoutMilliseconds: 10_000, insecure: false, certificateAuthority: null },
      signal: new AbortController().signal,
      transcript,
    });
    return attest(report, await transcript.finish(transcriptHeader({ report }), transcriptEnd({ report })), {
      name: 'certificate.json',
      privateKey: SIGNER.privateKey,
      artifacts: [],
    });
  } finally {
    await server.close();
  }
}

/** What a certificate is made of, so that it can be changed and signed again. */
export interface OpenedCertificate {
  readonly statement: JsonObject;
  readonly lines: readonly JsonObject[];
}

export function opened({ envelope, transcript }: SignedCertificate): OpenedCertificate {
  const statement = parseJson(readEnvelope(envelope).payload.toString());
  if (!isJsonObject(statement)) {
    throw new Error('A statement is an object');
  }
  return { statement, lines: readLineFile(transcript) };
}

/** Signs it with a key that is the signer's, its transcript with the digest that it has now. */
export function sealedAgain(
  { statement, lines }: OpenedCertificate,
  privateKey: KeyObject = SIGNER.privateKey,
): SignedCertificate {
  const transcript = gzipSync(lines.map((line) => `${stringifyJson(line)}\n`).join(''));
  const predicate = objectMember(statement, 'predicate');
  const attested = { ...objectMember(predicate, 'transcript'), digest: digestOf(transcript) };
  const changed = parseJson(
    JSON.stringify({
      ...statement,
      subject: [attested],
      predicate: {
        ...predicate,
        transcript: attested,
      },
    }),
  );
  if (!isJsonObject(changed)) {
    throw new Error('A statement is an object');
  }
  return {
    envelope: signStatement(changed, privateKey),
    transcriptName: 'certificate.transcript.jsonl.gz',
    transcript,
  };
}

/** The same certificate by another version of stockcheck. */
export function byVersion(version: string, { statement, lines }: OpenedCertificate): OpenedCertificate {
  const predicate = objectMember(statement, 'predicate');
  const report = { ...objectMember(predicate, 'report'), suite: { version, specVersion: '1.0.0' } };
  const killMatrix = { name: 'known-faults.json', digest: { sha256: '0'.repeat(64) } };
  const [header = {}, ...rest] = lines;
  const named = digestOf(JSON.stringify(report))['sha256'] ?? '';
  return {
    statement: {
      ...statement,
      predicate: { ...predicate, report, killMatrix, suite: { name: 'stockcheck', version } },
    },
    lines: [{ ...header, suite: version, report: named }, ...rest],
  };
}

export function checked({ envelope, transcript }: SignedCertificate): CheckedCertificate {
  return checkEnvelope(envelope, SIGNER.publicKey, () => transcript);
}

/** Whether a check notices what is wrong: it fails, or refuses to read. */
export function isNoticed(certificate: SignedCertificate): boolean {
  try {
    return checked(certificate).state !== 'holds';
  } catch (error) {
    if (error instanceof SyntaxError) {
      return true;
    }
    throw error;
  }
}

/** Another value of the same type: a character, a digit, a truth. */
export function altered(leaf: unknown, choice: number): unknown {
  switch (typeof leaf) {
    case 'string': {
      const at = choice % Math.max(1, leaf.length);
      const other = leaf[at] === '5' ? '6' : /\d/.test(leaf[at] ?? '') ? '5' : leaf[at] === 'q' ? 'k' : 'q';
      return leaf.slice(0, at) + other + leaf.slice(at + 1);
    }
    case 'number':
      return leaf + (choice % 2 === 0 ? 1 : -1);
    case 'boolean':
      return !leaf;
    default:
      return 'q';
  }
}
