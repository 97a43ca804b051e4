import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

import { matching } from '../../cli/library/entries.ts';
import { MEASURED_CLIENTS } from '../../fixtures/clients/index.ts';
import { conductTables } from './conduct-tables.ts';
import { measureClient, type MeasuredConduct } from './measure-client.ts';

const { values } = parseArgs({
  options: {
    client: { type: 'string', default: '*' },
    only: { type: 'string', default: 'list,update-beyond-double,limited-seconds,limited-date' },
    herd: { type: 'string', default: '16' },
    freedoms: { type: 'boolean', default: true },
    json: { type: 'string', default: 'clients.json' },
  },
  allowNegative: true,
});

// Several runs may measure parts of the whole.
const known = new Map<string, MeasuredConduct>(readKnown(values.json).map((row) => [row.id, row]));
for (const client of matching('--client', [values.client], MEASURED_CLIENTS)) {
  const measured = await measureClient(client, {
    only: values.only,
    herd: values.herd === '0' ? null : Number(values.herd),
    freedoms: values.freedoms,
  });
  known.set(client.id, { ...known.get(client.id), ...measured });
  process.stderr.write(`measured: ${client.id}\n`);
  writeFileSync(values.json, `${JSON.stringify([...known.values()], null, 2)}\n`);
}
const order = MEASURED_CLIENTS.map(({ id }) => id);
process.stdout.write(
  conductTables(
    [...known.values()].toSorted((one, other) => order.indexOf(one.id) - order.indexOf(other.id)),
  ),
);

function readKnown(path: string): readonly MeasuredConduct[] {
  if (!existsSync(path)) {
    return [];
  }
  const rows: readonly MeasuredConduct[] = JSON.parse(readFileSync(path, 'utf8'));
  return rows;
}
