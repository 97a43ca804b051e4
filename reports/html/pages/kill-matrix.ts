import { SERVER_REQUIREMENTS, type Requirement } from '../../../contract/requirements/index.ts';
import {
  exploredText,
  isWrong,
  OUTCOME_WORDS,
  seenLines,
  SOURCE_WORDS,
  sourceTable,
  falseAlarmsText,
  summarize,
  tallyTable,
  trialName,
  type KillMatrix,
  type Source,
  type TrialResult,
} from '../../model/kill-matrix.ts';
import { choiceHtml } from '../choice.ts';
import { renderPage, runFacts } from '../page.ts';
import {
  aboutHtml,
  badgeHtml,
  codeHtml,
  listHtml,
  NO_HTML,
  scrollTableHtml,
  sectionHtml,
  tableHtml,
} from '../parts.ts';
import { html, type Html } from '../template.ts';

/** The kill matrix as one self-contained HTML page. */
export function renderKillMatrixHtml(matrix: KillMatrix): string {
  const { trials, smallest, verdict, suite, underlying } = matrix;
  const summary = summarize(trials);
  const { total } = summary;
  const words = verdict === 'proven' ? 'Proven' : 'Not proven';
  const shrunk = (repeats: boolean): readonly TrialResult[] =>
    smallest.filter((one) => one.repeats === repeats).map(({ result }) => result);
  return renderPage({
    title: `Kill matrix: ${words}`,
    outcome: verdict === 'proven' ? 'pass' : 'fail',
    about: `kill matrix · Petstore Inventory Service ${suite.specVersion}`,
    verdict: words,
    scope: `${total.caught} of ${total.faults} faults caught by the requirement that they break${falseAlarmsText(summary)}`,
    facts: [
      ['Servers', describeServers(matrix)],
      ['Variants of every server', underlying.length === 0 ? 'none' : underlying.join(', ')],
      ...runFacts(matrix),
    ],
    isWide: true,
    body: [
      wrongHtml('What went wrong', trials.filter(isWrong)),
      wrongHtml('Smallest combinations that go wrong', shrunk(true)),
      wrongHtml('Went wrong once, but not when judged again', shrunk(false)),
      sectionHtml('Faults by area', tableHtml(tallyTable(summary))),
      sourcesHtml(matrix),
      matrixHtml(matrix),
      conformantHtml(trials.filter(({ fault }) => fault === null)),
    ],
  });
}

function describeServers({ seed, onlyOwn, bail, trials, underlying }: KillMatrix): string {
  const how = onlyOwn ? ', with --only the requirement that the fault breaks' : '';
  const until = bail ? ', until the requirement that the fault breaks has failed' : '';
  const together = trials.some(({ variants }) => variants.length > underlying.length + 1);
  const alone = together ? 'each fault alone, variants together' : 'each fault and variant alone';
  return (seed === null ? alone : `drawn with seed ${seed}`) + how + until;
}

function wrongHtml(title: string, results: readonly TrialResult[]): Html {
  const items = results.map((trial) => {
    const { fault, outcome } = trial;
    return html`<b>${trialName(trial)}</b> · ${OUTCOME_WORDS[outcome]}
      ${fault === null ? NO_HTML : html`<p class="muted">${fault.title}; breaks ${fault.breaks}</p>`}
      ${seenLines(trial).map((line) => html`<p>${line}</p>`)}`;
  });
  return sectionHtml(title, listHtml(items, 'card seen fail'));
}

/** What each source caught, if there are several, and how the servers were explored. */
function sourcesHtml(matrix: KillMatrix): Html {
  const explored = exploredText(matrix);
  const about = aboutHtml(explored === null ? undefined : `${explored}.`);
  return matrix.by.length === 1
    ? about
    : sectionHtml('Who catches what', html`${tableHtml(sourceTable(matrix))} ${about}`);
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
  const order = new Map<string, number>(columns.map(({ id }, index) => [id, index]));
  const rank = ({ fault }: TrialResult): number => order.get(fault?.breaks ?? '') ?? order.size;
  const rows = faulty.toSorted((left, right) => rank(left) - rank(right));
  const title = 'Fault against requirement';
  return sectionHtml(
    title,
    html`<p class="about">
        <b class="cell pass">●</b> the requirement that the fault breaks failed ·
        <b class="cell fail">✗</b> it did not · <b>·</b> another failed as well. Each fault is judged in the
        profile of its row.
        ${bail ? 'Its run ended once the requirement that it breaks had failed (--bail).' : ''}
      </p>
      ${choiceHtml({ of: 'fault', by: [], hasFindings: false })}
      ${scrollTableHtml(
        title,
        headHtml(groups, sources),
        rows.map((row) => faultHtml(row, groups, sources)),
        'card rows matrix',
      )}`,
  );
}

function headHtml(groups: readonly (readonly Requirement[])[], sources: readonly Source[]): Html {
  return html`<tr>
      <td colspan="${2 + sources.length}"></td>
      ${groups.map(
        (group) =>
          html`<th scope="colgroup" colspan="${group.length}" class="area">${group[0]?.area ?? ''}</th>`,
      )}
    </tr>
    <tr>
      <th scope="col">Fault</th>
      ${columnHtml('profile', 'The profile in which it was judged')}
      ${sources.map((source) => columnHtml(SOURCE_WORDS[source], 'Whether this source caught it'))}
      ${groups.flatMap((group) =>
        group.map(({ id, statement }, index) => columnHtml(id, statement, placeOf(index))),
      )}
    </tr>`;
}

function columnHtml(name: string, title: string, place = ''): Html {
  return html`<th scope="col" class="column ${place}" title="${title}"><span>${name}</span></th>`;
}

/** The first column of an area has a line before it. */
function placeOf(index: number): string {
  return index === 0 ? 'first' : '';
}

function faultHtml(
  { fault, variants, profile, failed, caughtBy }: TrialResult,
  groups: readonly (readonly Requirement[])[],
  sources: readonly Source[],
): Html {
  const ids = new Set<string>(failed.map(({ id }) => id));
  const cells = groups.flatMap((group) =>
    group.map(({ id }, index) => {
      const place = placeOf(index);
      if (!ids.has(id) && id !== fault?.breaks) {
        return html`<td class="${place}"></td>`;
      }
      const [kind, sign] =
        id !== fault?.breaks ? ['muted', '·'] : ids.has(id) ? ['cell pass', '●'] : ['cell fail', '✗'];
      return html`<td class="${kind} ${place}" title="${id}">${sign}</td>`;
    }),
  );
  const also = variants.length === 0 ? '' : ` + ${variants.map(({ id }) => id).join(', ')}`;
  return html`<tr class="entry">
    <th scope="row" title="${fault?.title ?? ''}">
      ${fault?.id ?? ''}<small class="muted">${also}</small>
      <span class="unseen">${fault === null ? '' : `${fault.title}; breaks ${fault.breaks}`}</span>
    </th>
    <td>${profile}</td>
    ${sources.map((source) => html`<td class="cell pass">${caughtBy.includes(source) ? '●' : ''}</td>`)}
    ${cells}
  </tr>`;
}

function conformantHtml(conformant: readonly TrialResult[]): Html {
  const rows = conformant.map((result) => {
    const { variants, outcome, failed } = result;
    const names = variants.length === 0 ? 'the reference' : variants.map(({ id }) => id).join(', ');
    const titles = variants.map(({ title }) => title).join('; ');
    const found = isWrong(result)
      ? badgeHtml('fail', OUTCOME_WORDS[outcome])
      : badgeHtml('pass', 'conformant');
    return [
      codeHtml(names),
      titles === '' ? 'No difference' : titles,
      html`${found} ${failed.map(({ id }) => id).join(', ')}`,
    ];
  });
  const caption = 'Servers that conform';
  return sectionHtml(
    caption,
    tableHtml({ caption, columns: ['Variant', 'What is different', 'Found'], rows }),
  );
}
