import { createHash, createPrivateKey, createPublicKey, sign, verify, type KeyObject } from 'node:crypto';

import {
  listMember,
  stringMember,
  isJsonObject,
  parseJson,
  type JsonObject,
} from '../../contract/json/index.ts';

/** The media type of an in-toto Statement (in-toto attestation framework, "Envelope layer"). */
export const STATEMENT_MEDIA_TYPE = 'application/vnd.in-toto+json';

/** A payload with its signatures (DSSE 1.0.2, "Envelope"). */
type Envelope = ReturnType<typeof readEnvelope>;

/** What a signature covers: the "pre-authentication encoding" of DSSE, so that no payload can be taken for another type. */
function preAuthenticationEncoding(payloadType: string, payload: Buffer): Buffer {
  const type = Buffer.from(payloadType);
  return Buffer.concat([
    Buffer.from(`DSSEv1 ${type.length} `),
    type,
    Buffer.from(` ${payload.length} `),
    payload,
  ]);
}

/** SHA-256 of a public key in SPKI form (DER), in hexadecimal digits. */
export function keyIdOf(publicKey: KeyObject): string {
  return createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('hex');
}

/** @param privateKey for Ed25519 (RFC 8032) @returns the envelope as JSON text */
export function signStatement(statement: JsonObject, privateKey: KeyObject): string {
  const payload = Buffer.from(JSON.stringify(statement));
  const sig = sign(null, preAuthenticationEncoding(STATEMENT_MEDIA_TYPE, payload), privateKey);
  const keyid = keyIdOf(createPublicKey(privateKey));
  const envelope = {
    payload: payload.toString('base64'),
    payloadType: STATEMENT_MEDIA_TYPE,
    signatures: [{ keyid, sig: sig.toString('base64') }],
  };
  return `${JSON.stringify(envelope, null, 2)}\n`;
}

/** @throws {SyntaxError} that says why it is no envelope */
export function readEnvelope(text: string) {
  const value = parseEnvelope(text);
  const signatures = listMember(value, 'signatures').map((entry) => {
    if (!isJsonObject(entry)) {
      throw new SyntaxError('signatures is not an array of objects');
    }
    return { keyid: stringMember(entry, 'keyid'), sig: base64Member(entry, 'sig') };
  });
  return {
    payloadType: stringMember(value, 'payloadType'),
    payload: base64Member(value, 'payload'),
    signatures,
  };
}

function parseEnvelope(text: string): JsonObject {
  let value;
  try {
    value = parseJson(text);
  } catch {
    throw new SyntaxError('it is not JSON');
  }
  if (!isJsonObject(value)) {
    throw new SyntaxError('it is no JSON object');
  }
  return value;
}

/** Other spellings of the same bytes are refused, so that each change shows. */
function base64Member(object: JsonObject, name: string): Buffer {
  const text = stringMember(object, name);
  const bytes = Buffer.from(text, 'base64');
  if (bytes.toString('base64') !== text) {
    throw new SyntaxError(`${name} is not in base64`);
  }
  return bytes;
}

/** Whether this key has signed the payload as what the envelope says that it is. */
export function isSignedBy({ payloadType, payload, signatures }: Envelope, publicKey: KeyObject): boolean {
  const encoded = preAuthenticationEncoding(payloadType, payload);
  const keyid = keyIdOf(publicKey);
  const own = signatures.filter((signature) => signature.keyid === keyid);
  return own.length > 0 && own.every(({ sig }) => verify(null, encoded, publicKey, sig));
}

/** @throws {SyntaxError} if the text holds no private key for Ed25519 in PEM form */
export function readPrivateKey(pem: string): KeyObject {
  return ed25519('private', () => createPrivateKey(pem));
}

/** @throws {SyntaxError} if the text holds no public key for Ed25519 in PEM form */
export function readPublicKey(pem: string): KeyObject {
  if (/PRIVATE KEY/.test(pem)) {
    throw new SyntaxError('it holds a private key, and a public key is enough to check a certificate');
  }
  return ed25519('public', () => createPublicKey(pem));
}

function ed25519(kind: 'private' | 'public', read: () => KeyObject): KeyObject {
  let key;
  try {
    key = read();
  } catch {
    throw new SyntaxError(`it holds no ${kind} key in PEM form`);
  }
  if (key.asymmetricKeyType !== 'ed25519') {
    throw new SyntaxError(
      `it holds a ${kind} key for ${key.asymmetricKeyType ?? 'another algorithm'}, not for Ed25519`,
    );
  }
  return key;
}
