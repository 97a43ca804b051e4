import type { KeyObject } from 'node:crypto';

import { InconclusiveError } from '../../../contract/inconclusive-error.ts';
import {
  signStatement,
  SPECIFICATION,
  statementOf,
  withoutEvidence,
  type ArtifactDescriptor,
  type Certificate,
  type CertifyReport,
  type VerifyReport,
} from '../../../reports/index.ts';
import { lineOfRecord, type JudgedRecord } from '../../../suites/certify/index.ts';
import { openLineFile, readLineFile } from '../../../suites/target/index.ts';
import { judgeLines, transcriptNameOf, killMatrixDescriptor } from './check-certificate.ts';
import { digestOf } from './digests.ts';
import { transcriptHeader } from './transcript-header.ts';

/** A certificate and the file that belongs beside it. */
export interface SignedCertificate {
  /** A DSSE envelope, as JSON text. */
  readonly envelope: string;
  readonly transcriptName: string;
  readonly transcript: Buffer;
}

/** How a certificate is made. */
export interface Attestation {
  /** The name of its file, without a folder. */
  readonly name: string;
  readonly privateKey: KeyObject;
  readonly artifacts: readonly ArtifactDescriptor[];
}

const TRANSCRIPT_MEDIA_TYPE = 'application/vnd.stockcheck.transcript+jsonl+gzip';

/** How a client was judged: what its report does not say. */
export interface ClientRun {
  readonly records: readonly JudgedRecord[];
  readonly interrupted: boolean;
  /** Scenarios that were not run. */
  readonly leftOut: readonly string[];
  /** Ids of requirements and scenarios that the baseline expects to fail. */
  readonly baseline: readonly string[];
  /** The report of the service that the server behaved like, or `null`. */
  readonly like: string | null;
}

/** The scenarios as they went, a line for each, in gzip form. */
export function historyOfClient(
  report: CertifyReport,
  { records, interrupted, leftOut, baseline, like }: ClientRun,
): Promise<Buffer> {
  const lines = openLineFile();
  for (const record of records) {
    lines.write(lineOfRecord(record));
  }
  return lines.finish({ ...transcriptHeader({ report }), interrupted, leftOut, baseline, like });
}

/**
 * Signs what a run found, with its history.
 * @param transcript what the oracle was told of a target, or the scenarios of a client as they went
 * @throws {InconclusiveError} if it does not bear the report out
 */
export function attest(
  report: VerifyReport | CertifyReport,
  transcript: Buffer,
  { name, privateKey, artifacts }: Attestation,
): SignedCertificate {
  const { version, specVersion } = report.suite;
  const transcriptName = transcriptNameOf(name);
  const [header = {}, ...lines] = readLineFile(transcript);
  const { again, contradictions } = judgeLines(report.kind, header, lines);
  const certificate: Certificate = {
    suite: { name: 'stockcheck', version },
    specification: { name: SPECIFICATION, version: specVersion },
    killMatrix: killMatrixDescriptor(report.kind),
    report: withoutEvidence(report),
    artifacts,
    transcript: { name: transcriptName, digest: digestOf(transcript), mediaType: TRANSCRIPT_MEDIA_TYPE },
    judgedAgain: again,
  };
  const reasons = contradictions(certificate.report, true);
  if (reasons.length > 0) {
    throw new InconclusiveError(`No certificate was written, since it would not hold. ${reasons.join(' ')}`);
  }
  const envelope = signStatement(statementOf(certificate), privateKey);
  return { envelope, transcriptName, transcript };
}
