import type { KeyObject } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';

import { stringMember, type JsonObject } from '../../../contract/json/index.ts';
import {
  isSignedBy,
  readEnvelope,
  readStatement,
  STATEMENT_MEDIA_TYPE,
  type Certificate,
  type ArtifactDescriptor,
  readPublicKey,
} from '../../../reports/index.ts';
import { judgeRecords, recordOfLine } from '../../../suites/certify/index.ts';
import type { Judgement } from '../../../suites/oracle/index.ts';
import { atLine, judgeTranscript, readLineFile } from '../../../suites/target/index.ts';
import { SERVER_REQUIREMENTS, type RequirementId } from '../../../contract/requirements/index.ts';
import type { Outcome } from '../../../contract/verdict.ts';
import { packageVersion } from '../version.ts';
import { digestOf } from './digests.ts';
import { transcriptEnd, transcriptHeader } from './transcript-header.ts';
import { KNOWN_CLIENT_FAULTS } from '../certify/power.ts';
import { KNOWN_FAULTS } from '../verify/power.ts';
import { readOrRefuse } from '../../../contract/configuration-error.ts';

/** What a transcript shows when it is judged again. */
export interface JudgedAgain {
  /** Requests, or of a client the responses of the server that it met. */
  readonly exchanges: number;
  /** Histories that the oracle judged apart, or scenarios. */
  readonly histories: number;
  /** Of what it shows anything. */
  readonly requirements: readonly { readonly id: RequirementId; readonly outcome: Outcome }[];
}

/** What came of checking a certificate. */
export interface CheckedCertificate {
  /**
   * `holds`: it is signed by the key, and its transcript shows what it attests. `fails`: it is not, or does not.
   * `open`: it is signed by the key, and what it attests cannot be judged again here.
   */
  readonly state: 'holds' | 'fails' | 'open';
  /** Why it fails or is open, in sentences; empty if it holds. */
  readonly reasons: readonly string[];
  /** What it attests; `null` if it is not signed by the key, or cannot be read. */
  readonly certificate: Certificate | null;
  /** What the transcript showed; `null` if it was not judged. */
  readonly again: JudgedAgain | null;
}

/** The name of the file of a certificate's transcript, which lies beside it. */
export function transcriptNameOf(certificateName: string): string {
  return `${certificateName.replace(/\.json$/, '')}.transcript.jsonl.gz`;
}

/**
 * Checks the signature of a certificate, and judges its transcript again.
 * @param transcript reads the file of that name beside the certificate; `null` if there is none
 * @throws {SyntaxError} if the text is no certificate at all
 */
export function checkEnvelope(
  text: string,
  publicKey: KeyObject,
  transcript: (name: string) => Buffer | null,
): CheckedCertificate {
  const envelope = readEnvelope(text);
  if (!isSignedBy(envelope, publicKey)) {
    return failed([
      'It is not signed by this key: either somebody changed it, or it was signed with another key.',
    ]);
  }
  if (envelope.payloadType !== STATEMENT_MEDIA_TYPE) {
    return failed([`What is signed is ${JSON.stringify(envelope.payloadType)}, and no certificate.`]);
  }
  const reading = readStatement(envelope.payload);
  if (reading.kind === 'newer') {
    return open(
      `It is signed by the key, and in a form that a later version of stockcheck brought (${reading.predicateType}): this is stockcheck ${packageVersion()}.`,
      null,
    );
  }
  const { certificate, subject } = reading;
  const named = isDeepStrictEqual(plain(subject), plain([...certificate.artifacts, certificate.transcript]));
  const file = transcript(certificate.transcript.name);
  if (file === null) {
    return open(
      `It is signed by the key, and its transcript ${certificate.transcript.name} is missing, so that nothing can be judged again.`,
      certificate,
    );
  }
  if (!named || !isDeepStrictEqual(digestOf(file), plain(certificate.transcript.digest))) {
    return {
      ...failed([
        named
          ? `The transcript ${certificate.transcript.name} is not the one that is attested: its SHA-256 is another.`
          : 'Its subject is not what it attests.',
      ]),
      certificate,
    };
  }
  return judgeAgain(certificate, file);
}

function failed(reasons: readonly string[]): CheckedCertificate {
  return { state: 'fails', reasons, certificate: null, again: null };
}

function open(reason: string, certificate: Certificate | null): CheckedCertificate {
  return { state: 'open', reasons: [reason], certificate, again: null };
}

function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

/** Judges what a certificate attests by its transcript, whose digest is the attested one. */
function judgeAgain(certificate: Certificate, file: Buffer): CheckedCertificate {
  const { suite, report } = certificate;
  if (isNewer(suite.version, packageVersion())) {
    return open(
      `It is signed by the key, and was made by stockcheck ${suite.version}, which is newer than this ${packageVersion()} and may judge what this one does not know. Check it with that version.`,
      certificate,
    );
  }
  const contradictions: string[] = [];
  let again: JudgedAgain | null = null;
  try {
    const [header = {}, ...lines] = readLineFile(file);
    contradictions.push(
      ...headerContradictions(certificate, header),
      ...endContradictions(certificate, lines),
      ...unlikeVersions(certificate),
    );
    again = judgeLines(report.kind, lines);
    contradictions.push(...unseenFailures(report, again));
  } catch (error) {
    if (!(error instanceof SyntaxError)) {
      throw error;
    }
    contradictions.push(`The transcript cannot be judged again: ${error.message}.`);
  }
  return {
    state: contradictions.length === 0 ? 'holds' : 'fails',
    reasons: contradictions,
    certificate,
    again,
  };
}

/** Judges a transcript again. @throws {SyntaxError} that names the line which cannot be */
export function judgeLines(kind: Certificate['report']['kind'], lines: readonly JsonObject[]): JudgedAgain {
  if (kind === 'certify') {
    const { records, judgements } = judgeRecords(
      lines.map((line, index) => atLine(index, () => recordOfLine(line))),
    );
    return {
      exchanges: records.reduce((sum, { server }) => sum + server.responses, 0),
      histories: records.length,
      requirements: outcomesOf(judgements),
    };
  }
  const { requests, histories, judgements } = judgeTranscript(lines);
  return {
    exchanges: requests,
    histories,
    requirements: outcomesOf(SERVER_REQUIREMENTS.map(({ id }) => judgements.judgementOf(id))),
  };
}

function outcomesOf(judgements: readonly Judgement[]): JudgedAgain['requirements'] {
  return judgements.flatMap(({ id, outcome }) => (outcome === 'skipped' ? [] : [{ id, outcome }]));
}

/** What fails by the judges of today, and is attested as no failure. */
export function unseenFailures(
  { requirements }: Certificate['report'],
  { requirements: judged }: JudgedAgain,
): readonly string[] {
  return judged.flatMap(({ id, outcome }) => {
    const row = requirements.find((one) => one.id === id);
    return outcome === 'fail' && (row?.outcome === 'pass' || row?.outcome === 'skipped')
      ? [`${id} is attested as ${row.outcome}, and fails by the transcript.`]
      : [];
  });
}

/** Builds between two releases have the same version; their kill matrices tell them apart. */
export function knowsTheSameFaults({ report, killMatrix }: Certificate): boolean {
  return isDeepStrictEqual(plain(killMatrix), plain(killMatrixDescriptor(report.kind)));
}

/** The ids of what was decided in the run, and of which the transcript shows nothing when it is judged again. */
export function onChecksAlone({ report }: Certificate, { requirements }: JudgedAgain): readonly string[] {
  const again = new Set<string>(requirements.map(({ id }) => id));
  return report.kind === 'certify'
    ? []
    : report.requirements
        .filter(({ id, level, outcome }) => level !== 'observe' && outcome !== 'skipped' && !again.has(id))
        .map(({ id }) => id);
}

function unlikeVersions({ report, suite, specification }: Certificate): readonly string[] {
  return suite.version === report.suite.version && specification.version === report.suite.specVersion
    ? []
    : ['The versions of the certificate are not those of its report.'];
}

function headerContradictions(certificate: Certificate, header: JsonObject): readonly string[] {
  const wanted = transcriptHeader(certificate);
  if (stringMember(header, 'do') !== 'begin') {
    throw new SyntaxError('line 1 does not say what it is a transcript of');
  }
  return Object.keys(wanted)
    .filter((name) => name !== 'about' && !isDeepStrictEqual(header[name], wanted[name]))
    .map((name) => `The transcript is of another run: its ${name} is ${JSON.stringify(header[name])}.`);
}

/** Transcripts of earlier builds, and those of clients, tell no end. */
function endContradictions(certificate: Certificate, lines: readonly JsonObject[]): readonly string[] {
  const end = lines.at(-1);
  return end?.['do'] !== 'end' || isDeepStrictEqual(plain(end), plain(transcriptEnd(certificate)))
    ? []
    : ['The end of the transcript is that of another run.'];
}

/** Whether the first version is the later one. Versions are those of Semantic Versioning. */
function isNewer(one: string, other: string): boolean {
  const [left = [], right = []] = [one, other].map((version) =>
    (version.split(/[-+]/)[0] ?? '').split('.').map(Number),
  );
  const at = left.findIndex((part, index) => part !== right[index]);
  return (left[at] ?? 0) > (right[at] ?? 0);
}

/** What is known of servers, and what of clients, each in a file. */
const MATRICES = {
  verify: { name: 'known-faults.json', faults: KNOWN_FAULTS },
  certify: { name: 'known-client-faults.json', faults: KNOWN_CLIENT_FAULTS },
} as const;

/** What this version knows of faults, as the folder of the command holds it. */
export function killMatrixDescriptor(kind: keyof typeof MATRICES): ArtifactDescriptor {
  const { name, faults } = MATRICES[kind];
  return { name, digest: digestOf(`${JSON.stringify(faults, null, 2)}\n`) };
}

/** What a certificate is checked with. */
export interface CertificateCheckOptions {
  /** The public key of whoever signed it, in PEM form. */
  readonly publicKey: string;
  /** What the file of its transcript holds; without it, nothing is judged again and the certificate stays open. */
  readonly transcript?: Uint8Array;
}

const SOURCE = 'checkCertificate()';

/**
 * Checks who signed a certificate, and has its transcript judged again, as `stockcheck check-certificate` does.
 * @param certificate what the file of the certificate holds
 * @returns whether it holds, and why not; what it attests is in its `certificate.report`
 * @throws {ConfigurationError} if it is no certificate of stockcheck, or there is no public key
 */
export function checkCertificate(
  certificate: string,
  { publicKey, transcript }: CertificateCheckOptions,
): CheckedCertificate {
  const key = readOrRefuse(`${SOURCE}: publicKey`, () => readPublicKey(publicKey));
  return readOrRefuse(`${SOURCE}: this is no certificate of stockcheck`, () =>
    checkEnvelope(certificate, key, () => (transcript === undefined ? null : Buffer.from(transcript))),
  );
}
