import { createServer as createPlainServer } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { createServer as createSocketServer, type Socket } from 'node:net';
import { expect, test } from 'vitest';
import { listenForTest } from '../../../fixtures/loopback.test-data.ts';
import type { TransportOptions } from './http-transport.ts';
import { leaseConfiguredKeys } from '../keys/lease-configured-keys.ts';
import { freeKey } from '../../oracle/monitors/watch.test-data.ts';
import { addressOf, createTargetClient } from './target-client.ts';
import { preflight } from '../preflight.ts';
import { generateKeyPairSync, sign } from 'node:crypto';

/** What a run says before its first check of a target that it cannot reach. */
async function messageFor(target: string, changes: Partial<TransportOptions> = {}): Promise<string> {
  const client = createTargetClient(addressOf(target));
  const transport = {
    timeoutMilliseconds: 5_000,
    insecure: false,
    certificateAuthority: null,
    ...changes,
  };
  const leases = leaseConfiguredKeys([freeKey({ issued: false })], [], client.time);
  const outcome = await preflight(client, transport, leases);
  return 'message' in outcome ? outcome.message : outcome.state;
}

test('the advice fits what is wrong with the certificate', async () => {
  const good = selfSigned('localhost', 2);
  const port = await listenForTest(createTlsServer(good, (_, response) => response.end('[]')));
  const expired = selfSigned('localhost', -2);
  const old = await listenForTest(createTlsServer(expired, (_, response) => response.end('[]')));
  expect(await messageFor(`https://localhost:${port}/v1`)).toMatch(
    /not known here \(.*--ca FILE.*--insecure/,
  );
  expect(await messageFor(`https://127.0.0.1:${port}/v1`, { certificateAuthority: good.cert })).toMatch(
    /for another name than 127\.0\.0\.1 .*--insecure/,
  );
  expect(await messageFor(`https://localhost:${old}/v1`, { certificateAuthority: expired.cert })).toMatch(
    /not valid today .*--insecure/,
  );
  expect(await messageFor(`https://localhost:${port}/v1`, { certificateAuthority: good.cert })).toBe('ready');
  expect(await messageFor(`https://localhost:${old}/v1`, { insecure: true })).toBe('ready');
});

test('http for https, and https for http, are said as such', async () => {
  const tls = await listenForTest(
    createTlsServer(selfSigned('localhost', 2), (_, response) => response.end('[]')),
  );
  expect(await messageFor(`http://127.0.0.1:${tls}/v1`)).toContain(`as in https://127.0.0.1:${tls}.`);
  const polite = await listenForTest(
    createPlainServer((_, response) =>
      response.writeHead(400).end('The plain HTTP request was sent to HTTPS port'),
    ),
  );
  expect(await messageFor(`http://127.0.0.1:${polite}/v1`)).toContain(`as in https://127.0.0.1:${polite}.`);
  const plain = await listenForTest(createPlainServer((_, response) => response.end('[]')));
  expect(await messageFor(`https://127.0.0.1:${plain}/v1`)).toContain(`as in http://127.0.0.1:${plain}.`);
});

test('nobody there, nobody of that name, and nobody who speaks HTTP are three things', async () => {
  // Port 9 of the loopback interface is "discard", which nobody runs and no one is given as a free port.
  expect(await messageFor('http://127.0.0.1:9/v1')).toMatch(/refused \(ECONNREFUSED\).*Start the service/);
  expect(await messageFor('http://no-such-host.invalid/v1')).toMatch(
    /no-such-host\.invalid is not known here/,
  );
  const mute = await listenForTest(createSocketServer((socket) => void socket.destroy()));
  const message = await messageFor(`http://127.0.0.1:${mute}/v1`);
  expect(message).toMatch(/got no complete HTTP response in 3 tries .* Check the address/);
  expect(message).not.toContain('https');
});

test.each([
  [
    'is cut off',
    true,
    /^http\S+ answers, but GET \/inventory got no complete .* an answer 200 began, and .* closed/,
  ],
  [
    'never ends',
    false,
    /^http\S+ answers, but GET \/inventory got no complete .* an answer 200 began and had not ended/,
  ],
])('an answer that begins and %s is said to have begun', async (_, isCut, expected) => {
  const begun = 'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n[';
  const answer = (socket: Socket): unknown => (isCut ? socket.end(begun) : socket.write(begun));
  const port = await listenForTest(
    createSocketServer((socket) => void socket.once('data', () => answer(socket))),
  );
  expect(await messageFor(`http://127.0.0.1:${port}/v1`, { timeoutMilliseconds: 100 })).toMatch(expected);
});

/** What a TLS server of a test shows, in PEM. */
interface TestCertificate {
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
function selfSigned(host: string, days: number): TestCertificate {
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
