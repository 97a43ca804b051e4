import { html } from '../html/template.ts';
import { chartHtml, renderLiveFrame, tileHtml, type LiveSecond } from './live-frame.ts';

/** What the page receives while a load runs; rates in requests a second. */
export type LiveEvent =
  | { readonly kind: 'scenario'; readonly id: string; readonly title: string; readonly parameters: string }
  | { readonly kind: 'phase'; readonly text: string }
  | ({ readonly kind: 'second'; readonly scheduled: number } & LiveSecond)
  | { readonly kind: 'done'; readonly id: string; readonly outcome: string };

const SCRIPT = `
const begin = () => byId('done').replaceChildren();
const show = {
  scenario({ id, title, parameters }) {
    seconds = [];
    say('scenario', id + ': ' + title);
    say('parameters', parameters);
    say('phase', '');
  },
  phase({ text }) { say('phase', text); },
  second(second) {
    showSecond(second);
    say('scheduled', second.scheduled + '/s');
    draw(byId('rate'), (one) => one.answered, (one) => one.scheduled, '/s');
  },
  done({ id, outcome }) {
    const item = document.createElement('li');
    item.className = outcome;
    item.textContent = id + ': ' + outcome;
    byId('done').append(item);
  },
};`;

/** A page that follows a load as it runs; each of its events is a `LiveEvent`. */
export function renderLivePage(target: string): string {
  return renderLiveFrame({
    title: `load on ${target}`,
    heading: html`<h1 id="scenario">Waiting for the first scenario</h1>
      <p class="muted" id="parameters"></p>
      <p id="phase"></p>`,
    main: html`<div class="tiles">
        ${tileHtml('answered', 'answered')} ${tileHtml('scheduled', 'scheduled')} ${tileHtml('p50', 'p50')}
        ${tileHtml('p99', 'p99')} ${tileHtml('lost', 'lost')} ${tileHtml('statuses', 'answers by status')}
      </div>
      ${chartHtml('rate', 'answered a second', 'scheduled')}
      ${chartHtml('times', 'response time, p50', 'p99')}
      <ul id="done"></ul>`,
    script: SCRIPT,
  });
}
