import { SAMPLE_CLIENTS } from '../../fixtures/clients/index.ts';
import { type Fault, FAULTS, LOAD_FAULTS, VARIANTS } from '../../reference-server/index.ts';

/** All variants, faults and sample clients, as a value for JSON. */
export function catalogueValue(): object {
  return {
    schemaVersion: 1,
    kind: 'catalogue',
    variants: VARIANTS.map(({ id, freedom, title }) => ({ id, freedom, title })),
    faults: FAULTS.map(faultEntry),
    loadFaults: LOAD_FAULTS.map(faultEntry),
    clients: SAMPLE_CLIENTS.map(({ id, expected, title }) => ({ id, expected, title })),
  };
}

function faultEntry({ id, breaks, title }: Fault): Pick<Fault, 'id' | 'breaks' | 'title'> {
  return { id, breaks, title };
}

/** The same, a line each. */
export function catalogueInWords(): string {
  const rows = [
    `Variants (${VARIANTS.length}), what the specification permits:`,
    ...VARIANTS.map(({ id, freedom, title }) => `  ${id}  [${freedom}]  ${title}`),
    '',
    `Faults (${FAULTS.length}), what it forbids:`,
    ...FAULTS.map(describeFault),
    '',
    `Faults that show only under load (${LOAD_FAULTS.length}), for stockcheck serve:`,
    ...LOAD_FAULTS.map(describeFault),
    '',
    `Sample clients (${SAMPLE_CLIENTS.length}), for --clients:`,
    ...SAMPLE_CLIENTS.map(({ id, expected, title }) => `  ${id}  [${expected}]  ${title}`),
  ];
  return `${rows.join('\n')}\n`;
}

function describeFault({ id, breaks, title }: Fault): string {
  return `  ${id}  [${breaks}]  ${title}`;
}
