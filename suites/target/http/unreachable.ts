import {
  ANSWERED_CODES,
  CLOSED_CODES,
  openConnections,
  overPool,
  TIMEOUT_CODES,
  TransportError,
  type TransportOptions,
} from './http-transport.ts';
import type { NoResponse } from './no-response.ts';
import type { TargetClient } from './target-client.ts';

const UNKNOWN_ISSUER = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'CERT_UNTRUSTED',
]);
const OUT_OF_DATE = new Set(['CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID']);
const UNKNOWN_HOST = new Set(['ENOTFOUND', 'EAI_AGAIN', 'EAI_FAIL', 'EAI_NODATA']);
const NO_ROUTE = new Set(['EHOSTUNREACH', 'ENETUNREACH', 'EADDRNOTAVAIL']);
const NO_TLS = /^ERR_SSL_(?:WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|UNKNOWN_PROTOCOL|HTTP_REQUEST)$/;

/** Why a target cannot be reached, and what to do about that error; one sentence or more. */
export async function explainUnreachable(
  client: TargetClient,
  transport: TransportOptions,
  error: NoResponse,
): Promise<string> {
  const { origin } = client;
  if (ANSWERED_CODES.has(error.code)) {
    return `${origin} answers, but ${error.message} See what the service, and whatever is in front of it, logged then.`;
  }
  const advice = await adviceFor(error.code, client, transport);
  return `No answer from ${origin}: ${advice ?? `${error.message} Check the address, and that the service runs.`}`;
}

async function adviceFor(
  code: string,
  client: TargetClient,
  transport: TransportOptions,
): Promise<string | null> {
  const { protocol, host, hostname } = new URL(client.origin);
  if (code === 'ECONNREFUSED') {
    return `the connection is refused (${code}), so nothing listens there. Start the service, or check the host and the port.`;
  }
  if (UNKNOWN_HOST.has(code)) {
    return `the host name ${hostname} is not known here (${code}). Check how it is spelled, and that this machine can look it up.`;
  }
  if (NO_ROUTE.has(code)) {
    return `there is no route to ${host} from here (${code}). Check the address, and the network or VPN.`;
  }
  if (TIMEOUT_CODES.has(code)) {
    const what = code === 'HEAD_TIMEOUT' ? 'no whole header section of an answer' : 'no connection';
    return `${what} came within ${transport.timeoutMilliseconds / 1000} s (${code}). Check the address, and whether a firewall drops the packets; if the service is only slow, --timeout gives it longer.`;
  }
  if (UNKNOWN_ISSUER.has(code)) {
    return `its certificate is signed by an authority that is not known here (${code}). Name the certificate of that authority with --ca FILE, or accept any certificate with --insecure.`;
  }
  if (OUT_OF_DATE.has(code)) {
    return `its certificate is not valid today (${code}). Renew it, or check the clock of this machine; --insecure accepts it meanwhile.`;
  }
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    return `its certificate is for another name than ${hostname} (${code}). Use a name that stands in the certificate, or accept it with --insecure.`;
  }
  if (protocol === 'https:' && NO_TLS.test(code)) {
    return `it does not speak TLS (${code}). If that is the service, its address begins with http://, as in http://${host}.`;
  }
  if (protocol === 'http:' && CLOSED_CODES.has(code) && (await speaksTls(client, transport))) {
    return httpsAdvice(host);
  }
  return null;
}

/** Whether a 400 is what a server says that wants TLS and got a plain request. */
export function saysHttpsIsWanted(status: number, body: Buffer): boolean {
  return status === 400 && /\bHTTPS (?:port|server)\b/i.test(body.toString('latin1').slice(0, 2_000));
}

export function httpsAdvice(host: string): string {
  return `it speaks TLS, so its address begins with https://, as in https://${host}.`;
}

async function speaksTls(client: TargetClient, transport: TransportOptions): Promise<boolean> {
  const { host } = new URL(client.origin);
  const request = { method: 'GET', path: `${client.basePath}/inventory`, headers: [], body: null };
  client.spend(null);
  try {
    const connections = openConnections(`https://${host}`, 1, { ...transport, insecure: true });
    await overPool(connections, (pool) => pool.send(request));
    return true;
  } catch (error) {
    if (error instanceof TransportError) {
      return false;
    }
    throw error;
  }
}
