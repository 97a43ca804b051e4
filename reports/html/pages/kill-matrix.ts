import { type Requirement, SERVER_REQUIREMENTS } from '../../../contract/requirements/index.ts';
import {
  exploredText,
  isWrong,
  type KillMatrix,
  OUTCOME_WORDS,
  type Source,
  SOURCE_COLUMNS,
  SOURCE_WORDS,
  sourceRows,
  summarize,
  TALLY_COLUMNS,
  tallyRow,
  trialName,
  type TrialResult,
} from '../../model/kill-matrix.ts';
import { countText, printableLine } from '../../model/words.ts';
import { choiceHtml } from '../choice.ts';
import { renderPage, runFacts } from '../page.ts';
import { NO_HTML, sectionHtml, tableHtml } from '../parts.ts';
import { KILL_MATRIX_STYLE } from '../style/kill-matrix.ts';
import { STYLE } from '../style/page.ts';
import { html, type Html } from '../template.ts';

/** The kill matrix as one self-contained HTML page. */
export function renderKillMatrixHtml(matrix: KillMatrix): string {
  const { trials, smallest, verdict, suite, underlying } = matrix;
  const { total, conformant, falseAlarms } = summarize(trials);
  const words = verdict === 'proven' ? 'Proven' : 'Not proven';
  const [repeated, once] = [true, false].map((repeats) =>
    smallest.filter((shrunk) => shrunk.repeats === repeats).map(({ result }) => result),
  );
  return renderPage({
    title: `${words} – stockcheck kill matrix`,
    style: html`${STYLE} ${KILL_MATRIX_STYLE}`,
    banner: {
      outcome: verdict === 'proven' ? 'pass' : 'fail',
      sign: verdict === 'proven' ? '✓' : '✗',
      about: `kill matrix · Petstore Inventory Service ${suite.specVersion}`,
      verdict: words,
      scope: `${total.caught} of ${total.faults} faults caught by the requirement that they break, ${countText(falseAlarms, 'false alarm')} on ${countText(conformant, 'conformant server')}`,
      facts: [
        ['Servers', describeServers(matrix)],
        ['Variants of every server', underlying.length === 0 ? 'none' : underlying.join(', ')],
        ...runFacts(matrix),
      ],
    },
    body: html`<main id="main">
      <div class="wrap">
        ${wrongHtml('What went wrong', trials.filter(isWrong))}
        ${wrongHtml('Smallest combinations that go wrong', repeated)}
        ${wrongHtml('Went wrong once, but not when judged again', once)} ${areasHtml(trials)}
        ${sourcesHtml(matrix)}
      </div>
      ${matrixHtml(matrix)}
      <div class="wrap">${conformantHtml(trials.filter(({ fault }) => fault === null))}</div>
    </main>`,
  });
}

function describeServers({ seed, onlyOwn, bail, trials, underlying }: KillMatrix): string {
  const how = onlyOwn ? ', with --only the requirement that the fault breaks' : '';
  const until = bail ? ', until the requirement that the fault breaks has failed' : '';
  const together = trials.some(({ variants }) => variants.length > underlying.length + 1);
  const alone = together ? 'each fault alone, variants together' : 'each fault and variant alone';
  return (seed === null ? alone : `drawn with seed ${seed}`) + how + until;
}

function wrongHtml(title: string, results: readonly TrialResult[] = []): Html {
  if (results.length === 0) {
    return NO_HTML;
  }
  const items = results.map(({ fault, variants, outcome, failed, undecided }) => {
    const seen = [
      ...failed.map(({ id, message }) => `failed ${id}: ${message}`),
      ...undecided.map(({ id, reason }) => `inconclusive ${id}: ${reason}`),
    ];
    return html`<li class="fail">
      <b>${trialName({ fault, variants })}</b> · ${OUTCOME_WORDS[outcome]}
      ${fault === null ? NO_HTML : html`<p class="muted">${fault.title}; breaks ${fault.breaks}</p>`}
      ${seen.map((line) => html`<p>${printableLine(line, 400)}</p>`)}
    </li>`;
  });
  return sectionHtml(
    title,
    html`<ul class="card seen">
      ${items}
    </ul>`,
  );
}

function areasHtml(trials: readonly TrialResult[]): Html {
  const { byArea, total } = summarize(trials);
  return byArea.length === 0
    ? NO_HTML
    : sectionHtml(
        'Faults by area',
        tableHtml(
          'Faults by area',
          TALLY_COLUMNS,
          byArea.map(([area, tally]) => tallyRow(area, tally)),
          tallyRow('All', total),
        ),
      );
}

/** What each source caught, if there are several, and how the servers were explored. */
function sourcesHtml(matrix: KillMatrix): Html {
  const explored = exploredText(matrix);
  const about = explored === null ? NO_HTML : html`<p class="muted">${explored}.</p>`;
  return matrix.by.length === 1
    ? about
    : sectionHtml(
        'Who catches what',
        html`${tableHtml('Who catches what', SOURCE_COLUMNS, sourceRows(matrix))} ${about}`,
      );
}

/** Fault against requirement: what each fault made fail. */
function matrixHtml({ trials, bail, by }: KillMatrix): Html {
  const faulty = trials.filter(({ fault }) => fault !== null);
  if (faulty.length === 0) {
    return NO_HTML;
  }
  const columns = SERVER_REQUIREMENTS.filter(({ level }) => level === 'must');
  const sources = by.length === 1 ? [] : by;
  const groups = [...Map.groupBy(columns, ({ area }) => area).values()];
  const order = new Map(columns.map(({ id }, index) => [id, index]));
  const rows = faulty.toSorted((left, right) => rank(left, order) - rank(right, order));
  return html`<section class="matrix">
    <h2>Fault against requirement</h2>
    <p class="muted">
      <span class="mark broken">●</span> the requirement that the fault breaks failed ·
      <span class="mark missed">✗</span> it did not · <span class="mark also">·</span> another failed as well.
      Each fault is judged in the profile of its row.
      ${bail ? 'Its run ended once the requirement that it breaks had failed (--bail).' : ''}
    </p>
    ${choiceHtml({ of: 'fault', by: [], hasFindings: false })}
    <div class="scroll rows" tabindex="0" role="region" aria-label="Fault against requirement, table">
      <table>
        <caption class="unseen">
          Fault against requirement
        </caption>
        <thead>
          <tr>
            <td></td>
            <td></td>
            ${sources.map(() => html`<td></td>`)}
            ${groups.map(
              (group) =>
                html`<th scope="colgroup" colspan="${group.length}" class="area">
                  ${group[0]?.area ?? ''}
                </th>`,
            )}
          </tr>
          <tr>
            <th scope="col" class="corner">Fault</th>
            <th scope="col" class="column" title="The profile in which it was judged">
              <span>profile</span>
            </th>
            ${sources.map((source) => sourceHeadHtml(source))}
            ${groups.flatMap((group) => group.map((row, index) => columnHtml(row, index === 0)))}
          </tr>
        </thead>
        <tbody>
          ${rows.map((row) => faultHtml(row, groups, sources))}
        </tbody>
      </table>
    </div>
  </section>`;
}

function rank({ fault }: TrialResult, order: ReadonlyMap<string, number>): number {
  return order.get(fault?.breaks ?? '') ?? order.size;
}

function sourceHeadHtml(source: Source): Html {
  return html`<th scope="col" class="column" title="Whether this source caught it">
    <span>${SOURCE_WORDS[source]}</span>
  </th>`;
}

function columnHtml({ id, statement }: Requirement, isFirst: boolean): Html {
  return html`<th scope="col" class="${isFirst ? 'column first' : 'column'}" title="${statement}">
    <span>${id}</span>
  </th>`;
}

function faultHtml(
  { fault, variants, profile, failed, caughtBy }: TrialResult,
  groups: readonly (readonly Requirement[])[],
  sources: readonly Source[],
): Html {
  const ids = new Set<string>(failed.map(({ id }) => id));
  const cells = groups.flatMap((group) =>
    group.map(({ id }, index) => {
      const place = index === 0 ? ' first' : '';
      if (id === fault?.breaks) {
        return ids.has(id)
          ? html`<td class="broken${place}" title="${id}">●</td>`
          : html`<td class="missed${place}" title="${id}">✗</td>`;
      }
      return ids.has(id)
        ? html`<td class="also${place}" title="${id}">·</td>`
        : html`<td class="none${place}"></td>`;
    }),
  );
  const also =
    variants.length === 0 ? NO_HTML : html`<small> + ${variants.map(({ id }) => id).join(', ')}</small>`;
  return html`<tr class="entry">
    <th scope="row" title="${fault?.title ?? ''}">
      ${fault?.id ?? ''}${also}
      <span class="unseen">${fault === null ? '' : `${fault.title}; breaks ${fault.breaks}`}</span>
    </th>
    <td class="profile">${profile}</td>
    ${sources.map((source) => (caughtBy.includes(source) ? html`<td class="broken" title="${SOURCE_WORDS[source]}">●</td>` : html`<td class="none"></td>`))}
    ${cells}
  </tr>`;
}

function conformantHtml(conformant: readonly TrialResult[]): Html {
  if (conformant.length === 0) {
    return NO_HTML;
  }
  const rows = conformant.map((result) => {
    const { variants, outcome, failed } = result;
    const names = variants.length === 0 ? 'the reference' : variants.map(({ id }) => id).join(', ');
    const titles = variants.map(({ title }) => title).join('; ');
    return [
      html`<code>${names}</code>`,
      titles === '' ? 'No difference' : titles,
      html`<span class="badge ${isWrong(result) ? 'fail' : 'pass'}"
          >${isWrong(result) ? `✗ ${OUTCOME_WORDS[outcome]}` : '✓ conformant'}</span
        >${failed.length === 0 ? NO_HTML : html` ${failed.map(({ id }) => id).join(', ')}`}`,
    ];
  });
  return sectionHtml(
    'Servers that conform',
    tableHtml('Servers that conform', ['Variant', 'What is different', 'Found'], rows),
  );
}
