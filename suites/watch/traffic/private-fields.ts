import type { HeaderField } from '../../../contract/verdict.ts';
import { mayCarryCredentials } from '../../oracle/index.ts';
import type { TrafficRequest } from './traffic-exchange.ts';

const PRIVATE_NAME = /cookie|[cx]srf/i;
const PRIVATE_PARAMETER =
  /([?&][^=&#]*(?:auth|credential|jwt|key|passw|secret|session|sid|signature|token)[^=&#]*=)[^&#]*/i;
const HIDDEN = '[not recorded]';

/** Whether something beside Authorization may tell a service who sends a request. */
export function maySignIn({ url, headers }: Pick<TrafficRequest, 'url' | 'headers'>): boolean {
  return (
    PRIVATE_PARAMETER.test(url) ||
    headers.some(([name, value]) =>
      name.toLowerCase() === 'cookie'
        ? value.split(';').some((cookie) => mayCarryCredentials(cookie.replace(/=.*$/s, '').trim()))
        : mayCarryCredentials(name),
    )
  );
}

/** The fields of a request without Authorization, and without the values that may be secrets of others. */
export function withoutPrivateValues(headers: readonly HeaderField[]): readonly HeaderField[] {
  return headers
    .filter(([name]) => name.toLowerCase() !== 'authorization')
    .map(([name, value]) => [name, PRIVATE_NAME.test(name) || mayCarryCredentials(name) ? HIDDEN : value]);
}

/** A path and query without the values of parameters that may be secrets of others. */
export function withoutParameters(path: string): string {
  return path.replaceAll(new RegExp(PRIVATE_PARAMETER, 'gi'), `$1${HIDDEN}`);
}

/** The fields of a response without the values of its cookies. */
export function withoutCookies(headers: readonly HeaderField[]): readonly HeaderField[] {
  return headers.map(([name, value]) => [name, /^set-cookie2?$/i.test(name) ? HIDDEN : value]);
}
