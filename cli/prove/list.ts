import type { Fault } from '../../reference-server/faults/fault.ts';
import { FAULTS } from '../../reference-server/faults/index.ts';
import { LOAD_FAULTS } from '../../reference-server/load-faults/index.ts';
import { VARIANTS } from '../../reference-server/variants/index.ts';

/** All variants and faults, a line each. */
export function listCatalogue(): string {
  const rows = [
    `Variants (${VARIANTS.length}), what the specification permits:`,
    ...VARIANTS.map(({ id, freedom, title }) => `  ${id}  [${freedom}]  ${title}`),
    '',
    `Faults (${FAULTS.length}), what it forbids:`,
    ...FAULTS.map(describeFault),
    '',
    `Faults that show only under load (${LOAD_FAULTS.length}), for stockcheck serve:`,
    ...LOAD_FAULTS.map(describeFault),
  ];
  return `${rows.join('\n')}\n`;
}

function describeFault({ id, breaks, title }: Fault): string {
  return `  ${id}  [${breaks}]  ${title}`;
}
