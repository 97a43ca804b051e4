import { FAULTS } from '../../reference-server/faults/index.ts';
import { VARIANTS } from '../../reference-server/variants/index.ts';

/** All variants and faults, a line each. */
export function listCatalogue(): string {
  const rows = [
    `Variants (${VARIANTS.length}), what the specification permits:`,
    ...VARIANTS.map(({ id, freedom, title }) => `  ${id}  [${freedom}]  ${title}`),
    '',
    `Faults (${FAULTS.length}), what it forbids:`,
    ...FAULTS.map(({ id, breaks, title }) => `  ${id}  [${breaks}]  ${title}`),
  ];
  return `${rows.join('\n')}\n`;
}
