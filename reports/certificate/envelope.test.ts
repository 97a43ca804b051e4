import { generateKeyPairSync, verify } from 'node:crypto';

import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import {
  isSignedBy,
  keyIdOf,
  readEnvelope,
  readPrivateKey,
  readPublicKey,
  signStatement,
  STATEMENT_MEDIA_TYPE,
} from './envelope.ts';

const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const other = generateKeyPairSync('ed25519').publicKey;
const STATEMENT = { _type: 'https://in-toto.io/Statement/v1', subject: [], name: 'Zoë' };

test('what is signed is the pre-authentication encoding of DSSE', () => {
  const { payload, signatures } = readEnvelope(signStatement(STATEMENT, privateKey));
  const text = payload.toString();
  expect(JSON.parse(text)).toEqual(STATEMENT);
  // As the protocol writes it: lengths in bytes, in decimal digits.
  const encoded = Buffer.from(`DSSEv1 28 application/vnd.in-toto+json ${Buffer.byteLength(text)} ${text}`);
  const [{ sig, keyid } = { sig: Buffer.alloc(0), keyid: '' }] = signatures;
  expect(verify(null, encoded, publicKey, sig)).toBe(true);
  expect(keyid).toBe(keyIdOf(publicKey));
});

test('only the key that signed it has signed it, and only as a statement', () => {
  const envelope = readEnvelope(signStatement(STATEMENT, privateKey));
  expect(isSignedBy(envelope, publicKey)).toBe(true);
  expect(isSignedBy(envelope, other)).toBe(false);
  expect(isSignedBy({ ...envelope, payloadType: `${STATEMENT_MEDIA_TYPE}x` }, publicKey)).toBe(false);
  expect(isSignedBy({ ...envelope, signatures: [] }, publicKey)).toBe(false);
});

test('every other character of the envelope is noticed', () => {
  const text = signStatement(STATEMENT, privateKey);
  const members = JSON.parse(text);
  const [{ keyid, sig }] = members.signatures;
  const places = [members.payload, members.payloadType, keyid, sig].flatMap((value: string) => {
    const from = text.indexOf(value);
    return Array.from(value, (_, index) => from + index);
  });
  fc.assert(
    fc.property(fc.constantFrom(...places), fc.constantFrom(...'aZ09+/=~'.split('')), (at, character) => {
      fc.pre(text[at] !== character);
      const changed = text.slice(0, at) + character + text.slice(at + 1);
      expect(isAccepted(changed)).toBe(false);
    }),
    { numRuns: 500 },
  );
});

function isAccepted(text: string): boolean {
  try {
    return isSignedBy(readEnvelope(text), publicKey);
  } catch (error) {
    return !(error instanceof SyntaxError);
  }
}

describe('what is no envelope says why', () => {
  test.each([
    ['', 'it is not JSON'],
    ['{"signatures":1}', 'signatures is not an array'],
    ['{"signatures":[],"payloadType":"a","payload":"a b"}', 'payload is not in base64'],
    ['{"signatures":[],"payload":"YQ=="}', 'payloadType is not a string'],
  ])('%j', (text, message) => {
    expect(() => readEnvelope(text)).toThrow(message);
  });
});

describe('keys', () => {
  const rsa = generateKeyPairSync('rsa', { modulusLength: 1_024 });
  const pem = { type: 'pkcs8', format: 'pem' } as const;

  test('are for Ed25519 and in PEM form', () => {
    expect(keyIdOf(readPublicKey(publicKey.export({ type: 'spki', format: 'pem' }).toString()))).toBe(
      keyIdOf(publicKey),
    );
    expect(readPrivateKey(privateKey.export(pem).toString()).asymmetricKeyType).toBe('ed25519');
    expect(() => readPrivateKey('no key')).toThrow('it holds no private key in PEM form');
    expect(() => readPublicKey('no key')).toThrow('it holds no public key in PEM form');
    expect(() => readPrivateKey(rsa.privateKey.export(pem).toString())).toThrow('for rsa, not for Ed25519');
  });

  test('that sign are not needed to check', () => {
    expect(() => readPublicKey(privateKey.export(pem).toString())).toThrow('it holds a private key');
  });
});
