import {
  keyLabel,
  type KeyPiece,
  type KeyText,
  keyVariable,
  partsOf,
  type TrailKey,
} from '../../contract/trail.ts';
import { shellWord } from '../model/words.ts';

/** One word for a POSIX shell, with the variables of keys in it. */
export function keyWord(text: KeyText, keys: readonly TrailKey[]): string {
  const parts = partsOf(text);
  if (parts.every((part) => typeof part === 'string')) {
    return shellWord(parts.join(''));
  }
  return `"${inQuotes(parts, keys)}"`;
}

function inQuotes(parts: ReturnType<typeof partsOf>, keys: readonly TrailKey[]): string {
  const texts = parts.map((part) =>
    typeof part === 'string'
      ? part.replaceAll(/["$`\\]/g, String.raw`\$&`)
      : 'base64' in part
        ? `$(printf %s "${inQuotes(part.base64, keys)}" | base64 | tr -d '\\n')`
        : pieceText(part, keys),
  );
  // The name of a variable would go on in a letter behind it.
  return texts.map((text, index) => (/^\w/.test(texts[index + 1] ?? '') ? braced(text) : text)).join('');
}

function braced(text: string): string {
  return text.replace(/^\$(KEY_\w+)$/, '${$1}');
}

const ALTERATIONS: Readonly<Record<NonNullable<KeyPiece['as']>, string>> = {
  upper: 'tr a-z A-Z',
  lower: 'tr A-Z a-z',
  swapped: 'tr a-zA-Z A-Za-z',
  backwards: 'rev',
  changed: "sed -e 's/[a-vA-V]/9/' -e t -e 's/./A/'",
};

function pieceText({ key, from, to, as }: KeyPiece, keys: readonly TrailKey[]): string {
  const variable = `$${keyVariable(keyLabel(keys, key))}`;
  const cuts = sliceScript(from, to);
  const slice = cuts === '' ? [] : [`sed '${cuts}'`];
  const alter = as === undefined ? [] : [ALTERATIONS[as]];
  const filters = as === 'changed' ? [...slice, ...alter] : [...alter, ...slice];
  return filters.length === 0 ? variable : `$(printf %s "${variable}" | ${filters.join(' | ')})`;
}

/** What sed makes of a key as `String.slice` would. */
function sliceScript(from = 0, to?: number): string {
  const begin = from < 0 ? `s/.*\\(.\\{${-from}\\}\\)$/\\1/` : from > 0 ? `s/^.\\{${from}\\}//` : '';
  const end = to === undefined ? '' : to < 0 ? `s/.\\{${-to}\\}$//` : `s/^\\(.\\{${to}\\}\\).*/\\1/`;
  const ordered = to !== undefined && to >= 0 ? [end, begin] : [begin, end];
  return ordered.filter((one) => one !== '').join('; ');
}
