import type { CertifyReport } from '../../model/report.ts';
import { FREEDOM_COLUMNS, failedFreedoms, freedomRow, freedomsText } from '../../wording/freedoms-text.ts';
import { printableLine } from '../../wording/printable.ts';
import { NO_HTML, sectionHtml, tableHtml } from '../parts.ts';
import { html, type Html } from '../template.ts';

/** What services may do, and where the client fails with it. */
export function freedomsHtml({ freedoms }: CertifyReport): Html {
  if (freedoms === undefined) {
    return NO_HTML;
  }
  const failed = failedFreedoms(freedoms);
  const passed = freedoms.filter((row) => row.failed.length === 0);
  const items = failed.map(
    ({ title, failed: [first, ...others] }) =>
      html`<li class="fail">
        <b>${printableLine(title)}</b>
        <p>
          ${printableLine(first?.failures.join(' ') ?? '')}
          ${others.length === 0 ? '' : `(and in ${others.length} more)`}
        </p>
      </li>`,
  );
  return sectionHtml(
    'What services may do otherwise',
    html`<p>${freedomsText(freedoms)}. This does not change the verdict.</p>
      ${
        items.length === 0
          ? NO_HTML
          : html`<ul class="card seen">
              ${items}
            </ul>`
      }
      ${tableHtml('Choices that services may make', FREEDOM_COLUMNS, [...failed, ...passed].map(freedomRow))}`,
  );
}
