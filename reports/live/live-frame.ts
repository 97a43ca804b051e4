import { html, renderHtmlTemplate, trustedHtml, type Html } from '../html/template.ts';
import { THEME } from '../html/style/theme.ts';

/** One second of traffic; times in milliseconds. */
export interface LiveSecond {
  readonly answered: number;
  readonly lost: number;
  readonly p50: number | null;
  readonly p99: number | null;
  readonly statuses: Readonly<Record<string, number>>;
}

/** Seconds that a page shows. */
export const LIVE_SECONDS = 300;

const STYLE = html`<style>
  header.wrap {
    padding-block: 1.5rem 0;
  }
  .tiles {
    display: grid;
    grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr));
    gap: 1rem;
    margin: 1.25rem 0;
  }
  .tiles div,
  figure {
    padding: 0.8rem 1rem;
  }
  .tiles b {
    display: block;
    font-size: 1.5rem;
    font-variant-numeric: tabular-nums;
  }
  figure {
    margin: 0 0 1rem;
  }
  figcaption {
    display: flex;
    gap: 1.25rem;
    color: var(--muted);
    font-size: 0.87rem;
  }
  figcaption .one::before,
  figcaption .two::before {
    content: '';
    display: inline-block;
    width: 1.2em;
    margin-right: 0.4em;
    vertical-align: middle;
    border-top: 2px solid var(--accent);
  }
  figcaption .two::before {
    border-top: 2px dashed var(--inconclusive);
  }
  figcaption .most {
    margin-left: auto;
  }
  svg {
    display: block;
    width: 100%;
    height: 11rem;
    margin-top: 0.5rem;
    border-bottom: 1px solid var(--line);
  }
  polyline {
    fill: none;
    stroke-width: 2;
    vector-effect: non-scaling-stroke;
  }
  .one polyline,
  polyline.one {
    stroke: var(--accent);
  }
  polyline.two {
    stroke: var(--inconclusive);
    stroke-dasharray: 5 4;
  }
  li.pass {
    color: var(--pass);
  }
  li.fail {
    color: var(--fail);
  }
  table {
    border-collapse: collapse;
    font-variant-numeric: tabular-nums;
  }
  th,
  td {
    padding: 0.2rem 1.25rem 0.2rem 0;
    text-align: left;
  }
</style>`;

// Draws in the browser, so that the process that is followed spends nothing on it but a line of text a second.
const HELPERS = `const byId = (id) => document.getElementById(id);
const say = (id, text) => { byId(id).textContent = text; };
const inMilliseconds = (value) => value === null ? '–' : value.toFixed(value < 10 ? 2 : 0) + ' ms';
let seconds = [];
function draw(figure, one, two, unit) {
  const width = Math.max(60, seconds.length) - 1;
  const most = Math.max(1e-9, ...seconds.map((second) => Math.max(one(second) ?? 0, two(second) ?? 0)));
  figure.querySelector('.most').textContent = 'top ' + (most < 10 ? most.toFixed(2) : Math.round(most)) + unit;
  const points = (value) => seconds
    .map((second, index) => [index, value(second)])
    .filter(([, y]) => y !== null)
    .map(([x, y]) => (1000 * x / width).toFixed(1) + ',' + (98 - 96 * y / most).toFixed(2))
    .join(' ');
  figure.querySelector('polyline.one').setAttribute('points', points(one));
  figure.querySelector('polyline.two').setAttribute('points', points(two));
}
function showSecond(second) {
  seconds = [...seconds, second].slice(-${LIVE_SECONDS});
  say('answered', second.answered + '/s');
  say('p50', inMilliseconds(second.p50));
  say('p99', inMilliseconds(second.p99));
  say('lost', String(second.lost));
  say('statuses', Object.entries(second.statuses).map(([name, count]) => name + ' ' + count).join(', ') || '–');
  draw(byId('times'), (one) => one.p50, (one) => one.p99, ' ms');
}`;

const LISTENING = `
const source = new EventSource('events');
source.onmessage = ({ data }) => { const event = JSON.parse(data); show[event.kind](event); };
source.onopen = () => { begin(); seconds = []; say('state', 'running'); };
source.onerror = () => { source.close(); say('state', 'ended; the figures are the last ones'); };
`;

interface LiveFrame {
  readonly title: string;
  /** What stands in the head of the page, under the line that names it. */
  readonly heading: Html;
  readonly main: Html;
  /** Defines `show`, a function for each kind of event, and `begin`, which empties the page. */
  readonly script: string;
}

/** A page that follows a process as it runs: it reads `events`, each in JSON, next to its own address. */
export function renderLiveFrame({ title, heading, main, script }: LiveFrame): string {
  return renderHtmlTemplate(
    html`<!doctype html>
      <html lang="en">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <title>stockcheck ${title}</title>
          ${THEME} ${STYLE}
        </head>
        <body>
          <header class="wrap">
            <p class="muted"><b>stockcheck</b> · ${title} · <span id="state">connecting</span></p>
            ${heading}
          </header>
          <main class="wrap">${main}</main>
          ${trustedHtml(`<script>${HELPERS}${script}${LISTENING}</script>`)}
        </body>
      </html> `,
  );
}

export function tileHtml(id: string, name: string): Html {
  return html`<div class="card">
    <b id="${id}">–</b>
    <span class="muted">${name}</span>
  </div>`;
}

export function chartHtml(id: string, one: string, two: string): Html {
  return html`<figure class="card" id="${id}">
    <figcaption>
      <span class="one">${one}</span><span class="two">${two}</span><span class="most"></span>
    </figcaption>
    <svg viewBox="0 0 1000 100" preserveAspectRatio="none" role="img" aria-label="${one} and ${two}">
      <polyline class="one" />
      <polyline class="two" />
    </svg>
  </figure>`;
}
