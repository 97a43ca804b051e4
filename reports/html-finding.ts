import type { Finding, RecordedExchange } from '../contract/verdict.ts';
import { requestText, responseText } from './exchange-text.ts';
import { html, type Html } from './html-template.ts';
import { printableBlock, printableLine } from './printable.ts';

/** Longest body shown of a request or a response, in characters. */
const BODY_LIMIT = 8000;

/** One finding: what was seen, the exchange as two HTTP messages, and the line that repeats it. */
export function findingHtml({ message, exchange, curl }: Finding): Html {
  return html`<div class="finding">
    <p>${printableBlock(message, 2000)}</p>
    ${exchange === undefined ? html`` : exchangeHtml(exchange)}
    ${
      curl === undefined
        ? html``
        : html`<h4>Repeat it (free#1 and the like stand for keys)</h4>
            <pre>${printableLine(curl, BODY_LIMIT)}</pre>`
    }
  </div>`;
}

function exchangeHtml(exchange: RecordedExchange): Html {
  const { sentAt, durationMilliseconds } = exchange;
  return html`<div class="messages">
    <div>
      <h4>Request, ${printableLine(sentAt)}</h4>
      <pre>${requestText(exchange, BODY_LIMIT)}</pre>
    </div>
    <div>
      <h4>Response, ${durationMilliseconds.toFixed(1)} ms</h4>
      <pre>${responseText(exchange, BODY_LIMIT)}</pre>
    </div>
  </div>`;
}
