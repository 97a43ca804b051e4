import { generateKeyPairSync } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

import { createSecretFinder } from '../../suites/target/index.ts';

/** Spellings in which a careless or hostile counterpart may repeat a key. */
export function hostileSpellings(key: string): readonly string[] {
  const escaped = (write: (code: string) => string): string =>
    Array.from(key, (character) => write(character.charCodeAt(0).toString(16).padStart(2, '0'))).join('');
  return [
    key,
    key.toUpperCase(),
    escaped((code) => `\\u00${code}`),
    escaped((code) => `%${code.toUpperCase()}`),
    escaped((code) => `%25${code}`),
    escaped((code) => `&#x${code};`),
    key.replaceAll('-', '\\u002d'),
    key.replaceAll('-', '\\-'),
    Buffer.from(key).toString('base64'),
    Buffer.from(`user:${key}`).toString('base64url'),
    Buffer.from(`Bearer ${key}`).toString('base64'),
    Buffer.from(key).toString('hex'),
  ];
}

/** A private key that signs certificates. */
export function signingKey(): string {
  return generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

/** The texts of a folder by file, the folders in it, too. */
export function textsIn(directory: string): readonly { readonly name: string; readonly text: string }[] {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .map((name) => join(directory, name))
    .filter((path) => statSync(path).isFile())
    .map((path) => ({ name: path, text: textOf(path) }));
}

/** What a file holds, unpacked, and with what a certificate signs. */
function textOf(path: string): string {
  const bytes = readFileSync(path);
  const text = (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString();
  const payload = /"payload": "(?<payload>[^"]+)"/.exec(text)?.groups?.['payload'] ?? '';
  return text + Buffer.from(payload, 'base64').toString();
}

/** Where keys can be read, in any spelling: the name of the text, and what stands there. */
export function keysShown(
  keys: Iterable<string>,
  texts: readonly { readonly name: string; readonly text: string }[],
): readonly string[] {
  const finder = createSecretFinder();
  const all = [...keys];
  all.forEach((key) => finder.add(key, key));
  return texts.flatMap(({ name, text }) => [
    ...finder.find(text).map(({ from, to }) => `${name}: ${text.slice(Math.max(0, from - 40), to + 20)}`),
    // What does not hang on the finder itself.
    ...all.filter((key) => text.includes(key)).map((key) => `${name}: ${key}`),
  ]);
}
