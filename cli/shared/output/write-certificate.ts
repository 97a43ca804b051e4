import { dirname, join } from 'node:path';

import { ConfigurationError } from '../../../contract/configuration-error.ts';
import { writeReportText } from '../../../reports/index.ts';
import type { SignedCertificate } from '../../library/certificate/attest.ts';
import type { CertificateOrder } from '../options/certificate-options.ts';

/** Says that an interrupted run has none, if one was asked for. */
export function noteWithoutCertificate(order: CertificateOrder | null): void {
  if (order !== null) {
    process.stderr.write(
      `No certificate was written to ${order.path}, since the run was interrupted. Run it again.\n`,
    );
  }
}

/**
 * Writes a certificate, and its transcript beside it, and names both on stderr.
 * @throws {ConfigurationError} if they cannot be written
 */
export async function writeCertificate(
  { path }: CertificateOrder,
  { envelope, transcript, transcriptName }: SignedCertificate,
  { quiet }: { readonly quiet: boolean },
): Promise<void> {
  try {
    await writeReportText(join(dirname(path), transcriptName), transcript);
    await writeReportText(path, envelope);
  } catch (error) {
    throw new ConfigurationError(`--certificate ${path}: ${error instanceof Error ? error.message : ''}`, {
      cause: error,
    });
  }
  if (!quiet) {
    process.stderr.write(`Certificate: ${path}, and beside it ${transcriptName}\n`);
  }
}
