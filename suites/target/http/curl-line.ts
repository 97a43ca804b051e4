import { keyVariable } from '../../../contract/trail.ts';
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
 * A command line for a POSIX shell that repeats the request. The key stands in it as a variable; if that is not set, the
 * shell says which key it has to be and sends nothing.
 * @param key the key that was sent as it should be, if any
 */
export function curlLine(
  { method, url, headers, body }: ShownRequest,
  key: Key | undefined,
  { control, options }: CurlSurroundings,
): string {
  const words = ['curl', '-i', ...(method === 'GET' ? [] : ['-X', method]), '--path-as-is', ...options];
  for (const [name, value] of headers) {
    const isKey = key !== undefined && /^authorization$/i.test(name) && value === `Bearer ${key.label}`;
    words.push(
      '-H',
      isKey ? `"${name}: Bearer ${variable(key, control)}"` : quoteForShell(`${name}: ${value}`),
    );
  }
  if (body !== null) {
    words.push('--data-raw', quoteForShell(body));
  }
  return [...words, quoteForShell(url)].join(' ');
}

function variable({ label, plan, limits, issued, usedToday }: Key, control: string | null): string {
  const agreed =
    plan === 'enterprise' && limits !== null
      ? ` with ${limits.perMinute} a minute and ${limits.perDay} a day`
      : '';
  const used = usedToday === 0 ? '' : ` with usedToday ${usedToday}`;
  const issuer = issued && control !== null ? ', which POST /keys of the control URL issues' : '';
  return `\${${keyVariable(label)}:?set it to a key of the plan ${plan}${agreed}${used}${issuer}}`;
}

/** One word for a POSIX shell. */
function quoteForShell(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
