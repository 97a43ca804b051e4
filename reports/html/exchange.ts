import type { RecordedExchange } from '../../contract/verdict.ts';
import { fieldText, type MessageParts, requestParts, responseParts } from '../model/findings.ts';
import { countText, printableLine, printableBlock } from '../model/words.ts';
import { aboutHtml, foldedHtml, NO_HTML } from './parts.ts';
import { html, type Html } from './template.ts';

/** A body of more lines than this is folded; the first lines, or those around what is cited, stay in sight. */
const LINES_WHOLE = 16;
const LINES_SHOWN = 10;
const LINES_AROUND = 3;

/** Request and response side by side. What the message of the finding speaks of is marked in them. */
export function exchangeHtml(exchange: RecordedExchange, message: string): Html {
  const { sentAt, durationMilliseconds } = exchange;
  const response = responseParts(exchange);
  return html`<div class="messages">
    <div>
      <p class="label">Request, ${printableLine(sentAt)}</p>
      ${messageHtml(requestParts(exchange), message, 'request')}
    </div>
    <div>
      <p class="label">Response, ${durationMilliseconds.toFixed(1)} ms</p>
      ${response === null ? html`<pre>no response</pre>` : messageHtml(response, message, 'response')}
    </div>
  </div>`;
}

function messageHtml({ start, headers, body, note }: MessageParts, message: string, of: string): Html {
  const fields = headers.map((field) => {
    const line = fieldText(field);
    return html`${'\n'}${citesField(message, field[0]) ? html`<mark>${line}</mark>` : line}`;
  });
  return html`<pre>${printableLine(start)}${fields}</pre>
    ${body === '' ? NO_HTML : bodyHtml(body, message, of)} ${aboutHtml(note)}`;
}

/**
 * A body as it came: JSON that stands in one line is broken by style alone, what the message cites is marked, and long
 * ones are folded.
 */
function bodyHtml(body: string, message: string, of: string): Html {
  const lines = bodyLines(body, message);
  const cited = lines.flatMap((stretches, index) =>
    stretches.some(({ isCited }) => isCited) ? [index] : [],
  );
  const isInSight = (index: number): boolean =>
    lines.length <= LINES_WHOLE ||
    (cited.length === 0 ? index < LINES_SHOWN : cited.some((one) => Math.abs(one - index) <= LINES_AROUND));
  const runs: { readonly isInSight: boolean; readonly lines: (readonly Stretch[])[] }[] = [];
  for (const [index, line] of lines.entries()) {
    const last = runs.at(-1);
    if (last?.isInSight === isInSight(index)) {
      last.lines.push(line);
    } else {
      runs.push({ isInSight: isInSight(index), lines: [line] });
    }
  }
  return html`<div class="copyable" data-copy="the body of the ${of}">
    ${runs.map((run) =>
      run.isInSight
        ? html`<pre>${run.lines.map(lineHtml)}</pre>`
        : foldedHtml(countText(run.lines.length, 'more line'), html`<pre>${run.lines.map(lineHtml)}</pre>`),
    )}
  </div>`;
}

/** What does not end with a line break is a line by style alone, so that what is copied is what came. */
function lineHtml(stretches: readonly Stretch[]): Html {
  const text = stretches.map((stretch) =>
    stretch.isCited ? html`<mark>${stretch.text}</mark>` : html`${stretch.text}`,
  );
  return stretches.at(-1)?.text.endsWith('\n') === true
    ? html`${text}`
    : html`<span class="line">${text}</span>`;
}

/** Longest body shown of a request or a response, in characters. */
const BODY_LIMIT = 8000;

/** A stretch of a text; `isCited` if a message speaks of it. */
interface Stretch {
  readonly text: string;
  readonly isCited: boolean;
}

/** A body in lines, which together are what came, and what the message cites told apart. One line is divided behind each object. */
function bodyLines(body: string, message: string): readonly (readonly Stretch[])[] {
  const text = printableBlock(body, BODY_LIMIT);
  return citedMembers(message, text.split(text.includes('\n') ? /(?<=\n)/ : /(?<=\},)/));
}

// A member of a JSON object with a scalar value.
const MEMBER = /(?<name>"(?:[^"\\]|\\.)*")\s*:\s*(?<value>"(?:[^"\\]|\\.)*"|[^\s{}[\],:"]+)/gu;

/** More members than this that all fit a message say nothing. */
const MOST_CITED = 6;

/** Whether the message names this header field. */
export function citesField(message: string, name: string): boolean {
  return hasWord(message.toLowerCase(), name.toLowerCase());
}

/**
 * The lines of a JSON text in stretches. A member is cited if the message holds both its name and its value. If
 * several objects have such members, those of the object that has the most of them count.
 */
export function citedMembers(message: string, lines: readonly string[]): readonly (readonly Stretch[])[] {
  const found = lines.map((line) =>
    [...line.matchAll(MEMBER)].filter(({ groups }) =>
      [groups?.['name'], groups?.['value']].every((token) => hasWord(message, unquoted(token ?? ''))),
    ),
  );
  const most = Math.max(0, ...found.map(({ length }) => length));
  const count = found.filter(({ length }) => length === most).length * most;
  return lines.map((line, index) => {
    const members = found[index] ?? [];
    return stretches(line, count > MOST_CITED || members.length < most ? [] : members);
  });
}

function stretches(line: string, members: readonly RegExpExecArray[]): readonly Stretch[] {
  let end = 0;
  const parts = members.flatMap((member) => {
    const before = { text: line.slice(end, member.index), isCited: false };
    end = member.index + member[0].length;
    return [before, { text: member[0], isCited: true }];
  });
  return [...parts, { text: line.slice(end), isCited: false }].filter(({ text }) => text !== '');
}

function unquoted(token: string): string {
  return token.startsWith('"') ? token.slice(1, -1) : token;
}

function hasWord(text: string, word: string): boolean {
  if (word === '') {
    return false;
  }
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1)) {
    if (!isWordCharacter(text[at - 1]) && !isWordCharacter(text[at + word.length])) {
      return true;
    }
  }
  return false;
}

function isWordCharacter(character = ''): boolean {
  return /[\w-]/.test(character);
}
