import { readOrRefuse } from '../../../contract/configuration-error.ts';
import { readPublicKey } from '../../../reports/index.ts';
import { checkEnvelope, type CheckedCertificate } from './check-certificate.ts';

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
