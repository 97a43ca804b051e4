import type { CertifyReport } from '../../model/report.ts';
import { herdLines, herdTitle, RETURN_COLUMNS, returnRow } from '../../wording/herd-text.ts';
import { NO_HTML, sectionHtml, tableHtml } from '../parts.ts';
import { html, type Html } from '../template.ts';

/** How clients came back that were refused together. */
export function herdHtml({ herd }: CertifyReport): Html {
  if (herd === undefined) {
    return NO_HTML;
  }
  const rows = herd.refusals.map(returnRow);
  return sectionHtml(
    herdTitle(herd),
    html`<ul class="card">
        ${herdLines(herd).map((line) => html`<li>${line}</li>`)}
      </ul>
      ${rows.length === 0 ? NO_HTML : tableHtml('Returns after each refusal', RETURN_COLUMNS, rows)}`,
  );
}
