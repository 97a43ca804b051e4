import { readFileSync } from 'node:fs';

/** The script of a report's page, as it stands in the page. */
export function pageScript(): string {
  // In the package, it lies beside the bundled program.
  return readFileSync(new URL('./report-page.js', import.meta.url), 'utf8');
}
