import type { RecordedExchange } from '../../contract/verdict.ts';
import { fieldText, type MessageParts, requestParts, responseParts } from '../model/findings.ts';
import { countText, printableLine } from '../model/words.ts';
import { bodyLines, citesField, type Stretch } from './body-lines.ts';
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
