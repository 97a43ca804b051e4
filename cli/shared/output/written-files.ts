import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';

import { ConfigurationError } from '../../../contract/configuration-error.ts';
import { messageOf } from '../../../contract/error-text.ts';
import {
  writeReportText,
  type ArtifactDescriptor,
  type CertifyReport,
  type VerifyReport,
} from '../../../reports/index.ts';
import type { SignedCertificate } from '../../library/certificate/attest.ts';
import type { CertificateOrder } from '../options/certificate-options.ts';
import { STDOUT } from './text-output.ts';

/** What a run is to leave behind beside its report. */
interface RecordOptions {
  readonly history: string | null;
  readonly certificate: CertificateOrder | null;
  readonly quiet: boolean;
}

/**
 * Writes the history and the certificate of a run, as far as they were asked for. An interrupted run has no certificate.
 * @param run `history`: its lines, in gzip form
 * @throws {ConfigurationError} if one cannot be written
 * @throws {InconclusiveError} if the history does not bear the report out
 */
export async function writeRecords(
  options: RecordOptions,
  isCutShort: boolean,
  run: {
    readonly report: VerifyReport | CertifyReport;
    readonly history: () => Promise<Buffer>;
    readonly artifacts: readonly ArtifactDescriptor[];
  },
): Promise<void> {
  const { history, certificate } = options;
  if (history === null && certificate === null) {
    return;
  }
  const file = await run.history();
  if (history !== null) {
    await writeHistory(history, file, options);
  }
  if (certificate === null) {
    return;
  }
  if (isCutShort) {
    process.stderr.write(
      `No certificate was written to ${certificate.path}, since the run was interrupted. Run it again.\n`,
    );
  } else {
    // What judges clients takes a while to load, and most runs sign nothing.
    const { attest } = await import('../../library/certificate/attest.ts');
    const signed = attest(run.report, file, { ...certificate, artifacts: run.artifacts });
    await writeCertificate(certificate, signed, options);
  }
}

/**
 * Writes a history, and names it on stderr.
 * @param path packed if it ends in `.gz`
 * @param file its lines, in gzip form
 * @throws {ConfigurationError} if it cannot be written
 */
export async function writeHistory(
  path: string,
  file: Buffer,
  { quiet }: { readonly quiet: boolean },
): Promise<void> {
  await writeOutput(
    `--history ${path}`,
    path,
    path.endsWith('.gz') ? file : Readable.from([file]).pipe(createGunzip()),
  );
  if (!quiet) {
    process.stderr.write(`History: ${path}\n`);
  }
}

/**
 * Writes a certificate, and its transcript beside it, and names both on stderr.
 * @throws {ConfigurationError} if they cannot be written
 */
async function writeCertificate(
  { path }: CertificateOrder,
  { envelope, transcript, transcriptName }: SignedCertificate,
  { quiet }: Pick<RecordOptions, 'quiet'>,
): Promise<void> {
  const named = `--certificate ${path}`;
  await writeOutput(named, join(dirname(path), transcriptName), transcript);
  await writeOutput(named, path, envelope);
  if (!quiet) {
    process.stderr.write(`Certificate: ${path}, and beside it ${transcriptName}\n`);
  }
}

/** Prints a list in words on stdout, or writes it as JSON where `--json` says. */
export async function printList(json: string | null, words: string, value: object): Promise<void> {
  if (json === null) {
    process.stdout.write(words);
  } else {
    await writeJsonValue(json, value);
  }
}

/**
 * Writes what is no report of a run as JSON.
 * @param path of `--json`: a file, or `-` for stdout
 * @throws {ConfigurationError} if it cannot be written
 */
export async function writeJsonValue(path: string, value: object): Promise<void> {
  await printOrWrite(`--json ${path}`, path, `${JSON.stringify(value, null, 2)}\n`);
}

/**
 * Prints a text if the path is `-`, and else writes it to that file.
 * @throws {ConfigurationError} that names the option, if the file cannot be written
 */
export async function printOrWrite(named: string, path: string, text: string): Promise<void> {
  if (path === STDOUT) {
    process.stdout.write(text);
  } else {
    await writeOutput(named, path, text);
  }
}

/** @throws {ConfigurationError} that names the option, if the file cannot be written */
export async function writeOutput(
  named: string,
  path: string,
  content: Parameters<typeof writeReportText>[1],
): Promise<void> {
  await naming(named, writeReportText(path, content));
}

/** @throws {ConfigurationError} that names the option, if what it asks for cannot be written */
export async function naming<Written>(named: string, writing: Promise<Written>): Promise<Written> {
  try {
    return await writing;
  } catch (error) {
    throw new ConfigurationError(`${named}: ${messageOf(error)}`, { cause: error });
  }
}
