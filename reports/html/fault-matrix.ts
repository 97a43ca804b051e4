import { SERVER_REQUIREMENTS, type Requirement } from '../../contract/requirements/index.ts';
import type { KillMatrix, TrialResult } from '../model/kill-matrix.ts';
import { choiceHtml } from './choice.ts';
import { gridHtml, NO_HTML, scrollHtml } from './parts.ts';
import { html, type Html } from './template.ts';

/** Fault against requirement: what each fault made fail. */
export function faultMatrixHtml({ trials, bail }: KillMatrix): Html {
  const faulty = trials.filter(({ fault }) => fault !== null);
  if (faulty.length === 0) {
    return NO_HTML;
  }
  const columns = SERVER_REQUIREMENTS.filter(({ level }) => level === 'must');
  const groups = [...Map.groupBy(columns, ({ area }) => area).values()];
  const order = new Map<string, number>(columns.map(({ id }, index) => [id, index]));
  const rank = ({ fault }: TrialResult): number => order.get(fault?.breaks ?? '') ?? order.size;
  const rows = faulty.toSorted((left, right) => rank(left) - rank(right));
  const caption = 'Fault against requirement';
  return html`<p class="about">
      <b class="cell pass">●</b> the requirement that the fault breaks failed · <b class="cell fail">✗</b> it
      did not · <b>·</b> another failed as well. Each fault is judged in the profile of its row.
      ${bail ? 'Its run ended once the requirement that it breaks had failed (--bail).' : ''}
    </p>
    ${choiceHtml({ of: 'fault', by: [] })}
    ${scrollHtml(
      caption,
      gridHtml(caption, headHtml(groups), html`${rows.map((row) => faultHtml(row, groups))}`),
      'rows matrix',
    )}`;
}

function headHtml(groups: readonly (readonly Requirement[])[]): Html {
  return html`<tr>
      <td colspan="2"></td>
      ${groups.map(
        (group) =>
          html`<th scope="colgroup" colspan="${group.length}" class="area">${group[0]?.area ?? ''}</th>`,
      )}
    </tr>
    <tr>
      <th scope="col">Fault</th>
      ${columnHtml('profile', 'The profile in which it was judged')}
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
  { fault, variants, profile, failed }: TrialResult,
  groups: readonly (readonly Requirement[])[],
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
    ${cells}
  </tr>`;
}
