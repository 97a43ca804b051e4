import type { KeyObject } from 'node:crypto';
import { createPublicKey } from 'node:crypto';

import type { JsonObject } from '../../../contract/lossless-json.ts';
import { InconclusiveError } from '../../../contract/inconclusive-error.ts';
import {
  signStatement,
  SPECIFICATION,
  statementOf,
  withoutEvidence,
  type ArtifactDescriptor,
  type Certificate,
  type CertifyReport,
  type JudgedAgain,
  type VerifyReport,
} from '../../../reports/index.ts';
import { lineOfRecord, type JudgedRecord } from '../../../suites/certify/index.ts';
import {
  columnsOf,
  judgeTranscript,
  openLineFile,
  readLineFile,
  type TranscriptRecorder,
} from '../../../suites/target/index.ts';
import { figuresOfRecords, judgeRecordsAgain } from './certify-again.ts';
import { checkEnvelope, transcriptHeader, transcriptNameOf } from './check-certificate.ts';
import { digestOf, killMatrixDescriptor } from './kill-matrix.ts';
import { figuresOfTranscript } from './verify-again.ts';

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

/**
 * Signs what a run of `verify` found, with what the oracle was told.
 * @throws {InconclusiveError} if the transcript does not bear the report out
 */
export function attestTarget(
  report: VerifyReport,
  transcript: TranscriptRecorder,
  attestation: Attestation,
): SignedCertificate {
  const file = transcript.finish(transcriptHeader({ report }));
  const again = figuresOfTranscript(judgeTranscript(linesOf(file)));
  return sealed(report, file, again, attestation);
}

/** How a client was judged, as far as its report does not say it. */
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

/**
 * Signs what a run of `certify` found, with the scenarios as they went.
 * @throws {InconclusiveError} if they do not bear the report out
 */
export function attestClient(
  report: CertifyReport,
  { records, interrupted, leftOut, baseline, like }: ClientRun,
  attestation: Attestation,
): SignedCertificate {
  const lines = openLineFile();
  for (const record of records) {
    lines.write(lineOfRecord(record));
  }
  const file = lines.finish({ ...transcriptHeader({ report }), interrupted, leftOut, baseline, like });
  return sealed(report, file, figuresOfRecords(judgeRecordsAgain(linesOf(file))), attestation);
}

function linesOf(file: Buffer): readonly JsonObject[] {
  return readLineFile(file).slice(1);
}

function sealed(
  report: VerifyReport | CertifyReport,
  transcript: Buffer,
  judgedAgain: JudgedAgain,
  { name, privateKey, artifacts }: Attestation,
): SignedCertificate {
  const { version, specVersion } = report.suite;
  const transcriptName = transcriptNameOf(name);
  const certificate: Certificate = {
    suite: { name: 'stockcheck', version },
    specification: { name: SPECIFICATION, version: specVersion },
    killMatrix: killMatrixDescriptor(),
    report: withoutEvidence(report),
    artifacts,
    transcript: { name: transcriptName, digest: digestOf(transcript), mediaType: TRANSCRIPT_MEDIA_TYPE },
    columns: columnsOf(linesOf(transcript)),
    judgedAgain,
  };
  const envelope = signStatement(statementOf(certificate), privateKey);
  const { state, reasons } = checkEnvelope(envelope, createPublicKey(privateKey), () => transcript);
  if (state !== 'holds') {
    throw new InconclusiveError(`No certificate was written, since it would not hold. ${reasons.join(' ')}`);
  }
  return { envelope, transcriptName, transcript };
}
