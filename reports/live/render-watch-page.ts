import { html } from '../html/template.ts';
import { chartHtml, renderLiveFrame, tileHtml, type LiveSecond } from './live-frame.ts';

/** What the page receives while traffic is watched. */
export type LiveWatchEvent = ({ readonly kind: 'second' } & LiveSecond) | LiveTraffic;

/** What the traffic has shown so far. */
export interface LiveTraffic {
  readonly kind: 'traffic';
  readonly exchanges: number;
  /** Exchanges that passed unjudged. */
  readonly unseen: number;
  /** MUSTs that the traffic showed, and all that there are. */
  readonly judged: number;
  readonly musts: number;
  /** Those that were presented last come first. */
  readonly keys: readonly LiveKey[];
  readonly violations: readonly LiveViolation[];
}

interface LiveKey {
  readonly label: string;
  readonly requests: number;
  /** `null` if it was not answered yet. */
  readonly lastStatus: number | null;
}

interface LiveViolation {
  readonly id: string;
  readonly level: string;
  readonly message: string;
  /** How often it was seen. */
  readonly times: number;
}

const SCRIPT = `
const rowOf = (cells) => {
  const row = document.createElement('tr');
  row.append(...cells.map((text) => {
    const cell = document.createElement('td');
    cell.textContent = text;
    return cell;
  }));
  return row;
};
const begin = () => {};
const show = {
  second(second) {
    showSecond(second);
    draw(byId('rate'), (one) => one.answered, (one) => one.lost, '/s');
  },
  traffic({ exchanges, unseen, judged, musts, keys, violations }) {
    say('exchanges', String(exchanges));
    say('unseen', String(unseen));
    say('judged', judged + ' of ' + musts);
    say('broken', String(violations.length));
    byId('keys').replaceChildren(...keys.map(({ label, requests, lastStatus }) => rowOf([label, requests, lastStatus ?? '–'])));
    byId('violations').replaceChildren(...violations.map(({ id, level, message, times }) => {
      const item = document.createElement('li');
      item.className = level === 'must' ? 'fail' : '';
      item.textContent = id + ' (' + level + ', ' + times + (times === 1 ? ' time' : ' times') + '): ' + message;
      return item;
    }));
    say('none', violations.length === 0 ? 'Nothing that was seen breaks the specification.' : '');
  },
};`;

/** A page that follows a service as traffic passes to it; each of its events is a `LiveWatchEvent`. */
export function renderWatchPage(base: string): string {
  return renderLiveFrame({
    title: `watch ${base}`,
    heading: html`<h1>What passes to ${base}</h1>`,
    main: html`<div class="tiles">
        ${tileHtml('answered', 'answered')} ${tileHtml('p50', 'p50')} ${tileHtml('p99', 'p99')}
        ${tileHtml('lost', 'without a response')} ${tileHtml('statuses', 'answers by status')}
        ${tileHtml('exchanges', 'exchanges judged')} ${tileHtml('unseen', 'passed unjudged')}
        ${tileHtml('judged', 'MUSTs judged')} ${tileHtml('broken', 'requirements broken')}
      </div>
      <h2>Violations</h2>
      <p class="muted" id="none"></p>
      <ul id="violations"></ul>
      ${chartHtml('rate', 'answered a second', 'without a response')}
      ${chartHtml('times', 'time to the end of the response, p50', 'p99')}
      <h2>Keys</h2>
      <table>
        <thead>
          <tr>
            <th>key</th>
            <th>requests</th>
            <th>last status</th>
          </tr>
        </thead>
        <tbody id="keys"></tbody>
      </table>`,
    script: SCRIPT,
  });
}
