import type { HeaderField } from '../../../contract/verdict.ts';
import type { Key } from '../../oracle/index.ts';

/** What a curl line takes from the run beside the request. */
export interface CurlSurroundings {
  /** Base URL of the control contract that issues keys, or `null`. */
  readonly control: string | null;
  /** Words for a POSIX shell, quoted: what curl needs to reach the target as the run did, such as `-k`. */
  readonly options: readonly string[];
}

/** A request as it may be shown: every key stands as its label. */
interface ShownRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly HeaderField[];
  readonly body: string | null;
}

/**
 * A command line for a POSIX shell that repeats the request. The key stands in it as `$KEY`: one that was issued for
 * the run is issued anew first; of a configured one the line says which it is, and stops if KEY is not set.
 * @param key the key that was sent as it should be, if any
 */
export function curlLine(
  { method, url, headers, body }: ShownRequest,
  key: Key | undefined,
  { control, options }: CurlSurroundings,
): string {
  const words = ['curl', '-i', ...(method === 'GET' ? [] : ['-X', method]), '--path-as-is', ...options];
  const isKey = ([name, value]: HeaderField): boolean =>
    key !== undefined && /^authorization$/i.test(name) && value === `Bearer ${key.label}`;
  for (const field of headers) {
    words.push('-H', isKey(field) ? `"${field[0]}: Bearer $KEY"` : quoteForShell(field.join(': ')));
  }
  if (body !== null) {
    words.push('--data-raw', quoteForShell(body));
  }
  const line = [...words, quoteForShell(url)].join(' ');
  return key !== undefined && headers.some(isKey) ? `${keyCommand(key, control)} && ${line}` : line;
}

/** Sets KEY, or sees that it is set. */
function keyCommand({ label, plan, limits, issued, usedToday }: Key, control: string | null): string {
  if (!issued || control === null) {
    return `: "\${KEY:?set it to ${label}, a key of the plan ${plan}}"`;
  }
  const order = {
    plan,
    ...(plan === 'enterprise' ? limits : {}),
    ...(usedToday === 0 ? {} : { usedToday }),
  };
  const call = `curl -s -X POST ${quoteForShell(`${control}/keys`)} -H 'Content-Type: application/json' -d ${quoteForShell(JSON.stringify(order))}`;
  return `KEY=$(${call} | sed -n 's/.*"key"[[:space:]]*:[[:space:]]*"\\([^"]*\\)".*/\\1/p')`;
}

/** One word for a POSIX shell. */
function quoteForShell(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
