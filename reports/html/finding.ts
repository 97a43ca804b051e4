import type { Finding, RecordedExchange } from '../../contract/verdict.ts';
import { requestText, responseText } from '../wording/exchange-text.ts';
import { stepText } from '../wording/finding-text.ts';
import { NO_HTML } from './parts.ts';
import { html, type Html } from './template.ts';
import { printableBlock, printableLine } from '../wording/printable.ts';

/** Longest body shown of a request or a response, in characters. */
const BODY_LIMIT = 8000;

/** One finding: what was seen, the steps that led there, the exchange as two HTTP messages, and the lines that repeat it. */
export function findingHtml({ message, exchange, curl, check, repeat, steps = [] }: Finding): Html {
  return html`<div class="finding">
    <p>${printableBlock(message, 2000)}</p>
    ${
      steps.length === 0
        ? NO_HTML
        : html`<h4>What led there</h4>
            <ol class="steps">
              ${steps.map((step) => html`<li><code>${stepText(step)}</code></li>`)}
            </ol>`
    }
    ${exchange === undefined ? NO_HTML : exchangeHtml(exchange)}
    ${
      repeat === undefined
        ? NO_HTML
        : html`<h4>Run the check${check === undefined ? '' : ` ${printableLine(check)}`} again</h4>
            <pre>${printableLine(repeat, BODY_LIMIT)}</pre>`
    }
    ${
      curl === undefined
        ? NO_HTML
        : html`<h4>Send the request again</h4>
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
