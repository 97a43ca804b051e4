import { html, renderHtmlTemplate, trustedHtml, type Html } from '../html/template.ts';
import { THEME } from '../html/style/theme.ts';

/** What the page receives while a load runs; times in milliseconds, rates in requests a second. */
export type LiveEvent =
  | { readonly kind: 'scenario'; readonly id: string; readonly title: string; readonly parameters: string }
  | { readonly kind: 'phase'; readonly text: string }
  | {
      readonly kind: 'second';
      readonly scheduled: number;
      readonly answered: number;
      readonly lost: number;
      readonly p50: number | null;
      readonly p99: number | null;
      readonly statuses: Readonly<Record<string, number>>;
    }
  | { readonly kind: 'done'; readonly id: string; readonly outcome: string };

/** Seconds that the page shows. */
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
  #done li.pass {
    color: var(--pass);
  }
  #done li.fail {
    color: var(--fail);
  }
</style>`;

// Draws in the browser, so that the generator spends nothing on it but a line of text a second.
const SCRIPT = trustedHtml(`<script>
const byId = (id) => document.getElementById(id);
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
const show = {
  scenario({ id, title, parameters }) {
    seconds = [];
    say('scenario', id + ': ' + title);
    say('parameters', parameters);
    say('phase', '');
  },
  phase({ text }) { say('phase', text); },
  second(second) {
    seconds = [...seconds, second].slice(-${LIVE_SECONDS});
    say('answered', second.answered + '/s');
    say('scheduled', second.scheduled + '/s');
    say('p50', inMilliseconds(second.p50));
    say('p99', inMilliseconds(second.p99));
    say('lost', String(second.lost));
    say('statuses', Object.entries(second.statuses).map(([name, count]) => name + ' ' + count).join(', ') || '–');
    draw(byId('rate'), (one) => one.answered, (one) => one.scheduled, '/s');
    draw(byId('times'), (one) => one.p50, (one) => one.p99, ' ms');
  },
  done({ id, outcome }) {
    const item = document.createElement('li');
    item.className = outcome;
    item.textContent = id + ': ' + outcome;
    byId('done').append(item);
  },
};
const source = new EventSource('events');
source.onmessage = ({ data }) => { const event = JSON.parse(data); show[event.kind](event); };
source.onopen = () => { byId('done').replaceChildren(); seconds = []; say('state', 'running'); };
source.onerror = () => { source.close(); say('state', 'ended; the figures are the last ones'); };
</script>`);

/** A page that follows a load as it runs: it reads `events`, each a `LiveEvent` in JSON, next to its own address. */
export function renderLivePage(target: string): string {
  return renderHtmlTemplate(
    html`<!doctype html>
      <html lang="en">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <title>stockcheck load on ${target}</title>
          ${THEME} ${STYLE}
        </head>
        <body>
          <header class="wrap">
            <p class="muted"><b>stockcheck</b> · load on ${target} · <span id="state">connecting</span></p>
            <h1 id="scenario">Waiting for the first scenario</h1>
            <p class="muted" id="parameters"></p>
            <p id="phase"></p>
          </header>
          <main class="wrap">
            <div class="tiles">
              ${tileHtml('answered', 'answered')} ${tileHtml('scheduled', 'scheduled')}
              ${tileHtml('p50', 'p50')} ${tileHtml('p99', 'p99')} ${tileHtml('lost', 'lost')}
              ${tileHtml('statuses', 'answers by status')}
            </div>
            ${figureHtml('rate', 'answered a second', 'scheduled')}
            ${figureHtml('times', 'response time, p50', 'p99')}
            <ul id="done"></ul>
          </main>
          ${SCRIPT}
        </body>
      </html> `,
  );
}

function tileHtml(id: string, name: string): Html {
  return html`<div class="card">
    <b id="${id}">–</b>
    <span class="muted">${name}</span>
  </div>`;
}

function figureHtml(id: string, one: string, two: string): Html {
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
