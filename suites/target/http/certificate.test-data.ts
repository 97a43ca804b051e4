import { generateKeyPairSync, sign } from 'node:crypto';

/** What a TLS server of a test shows, in PEM. */
export interface TestCertificate {
  readonly key: string;
  readonly cert: string;
}

const DAY_MILLISECONDS = 86_400_000;
const ECDSA_WITH_SHA256 = Buffer.from('06082a8648ce3d040302', 'hex');
const COMMON_NAME = Buffer.from('0603550403', 'hex');
const SUBJECT_ALTERNATIVE_NAME = Buffer.from('0603551d11', 'hex');

/**
 * A certificate that signs itself (RFC 5280, section 4.1).
 * @param host the one DNS name that it is for
 * @param days how long it is valid from now on; below 0 it expired that long ago
 */
export function selfSigned(host: string, days: number): TestCertificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const name = der(0x30, der(0x31, der(0x30, COMMON_NAME, der(0x0c, Buffer.from(host)))));
  const until = Date.now() + days * DAY_MILLISECONDS;
  const alternative = der(0x30, der(0x82, Buffer.from(host)));
  const content = der(
    0x30,
    der(0xa0, der(0x02, Buffer.of(2))),
    der(0x02, Buffer.of(1)),
    der(0x30, ECDSA_WITH_SHA256),
    name,
    der(0x30, time(until - 30 * DAY_MILLISECONDS), time(until)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, der(0x30, der(0x30, SUBJECT_ALTERNATIVE_NAME, der(0x04, alternative)))),
  );
  const signature = der(0x03, Buffer.of(0), sign('sha256', content, privateKey));
  const whole = der(0x30, content, der(0x30, ECDSA_WITH_SHA256), signature);
  const lines = whole.toString('base64').match(/.{1,64}/g) ?? [];
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n'),
  };
}

/** Tag, length and contents (X.690, section 8.1). */
function der(tag: number, ...contents: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(contents);
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.of(tag, ...size), content]);
}

function time(milliseconds: number): Buffer {
  const text = new Date(milliseconds).toISOString().replaceAll(/[-:T]|\.\d+/g, '');
  return der(0x17, Buffer.from(text.slice(2)));
}
