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
import { judgeLines, transcriptNameOf, killMatrixDescriptor, unseenFailures } from './check-certificate.ts';
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

/** The scenarios as they went, a line for each, in gzip form. */
export function historyOfClient(report: CertifyReport, records: readonly JudgedRecord[]): Promise<Buffer> {
  const lines = openLineFile();
  for (const record of records) {
    lines.write(lineOfRecord(record));
  }
  return lines.finish(transcriptHeader({ report }));
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
  const [, ...lines] = readLineFile(transcript);
  const reasons = unseenFailures(report, judgeLines(report.kind, lines));
  if (reasons.length > 0) {
    throw new InconclusiveError(`No certificate was written, since it would not hold. ${reasons.join(' ')}`);
  }
  const certificate: Certificate = {
    suite: { name: 'stockcheck', version },
    specification: { name: SPECIFICATION, version: specVersion },
    killMatrix: killMatrixDescriptor(report.kind),
    report: withoutEvidence(report),
    artifacts,
    transcript: { name: transcriptName, digest: digestOf(transcript), mediaType: TRANSCRIPT_MEDIA_TYPE },
  };
  const envelope = signStatement(statementOf(certificate), privateKey);
  return { envelope, transcriptName, transcript };
}
