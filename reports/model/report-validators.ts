import addFormats from 'ajv-formats';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import matrixSchema from './kill-matrix.schema.json' with { type: 'json' };
import type { KillMatrix } from './kill-matrix.ts';
import schema from './report.schema.json' with { type: 'json' };
import type { Report } from './report.ts';

/** The schemas of reports. The package holds what they compile to in place of this file (tools/build/validators.js). */
export const reportSchemas = new Ajv2020({
  allErrors: true,
  allowUnionTypes: true,
  strictRequired: false,
  // Compiling the schema of schemas takes longer than all else; a test validates with it.
  validateSchema: false,
  code: { source: true, esm: true },
});
addFormats.default(reportSchemas);
reportSchemas.addSchema(schema, 'matchesReport').addSchema(matrixSchema, 'matchesKillMatrix');

/** Compiled when it is first asked for. */
export const matchesReport = (): ValidateFunction<Report> => compiled<Report>('matchesReport');
export const matchesKillMatrix = (): ValidateFunction<KillMatrix> =>
  compiled<KillMatrix>('matchesKillMatrix');

function compiled<Value>(name: string): ValidateFunction<Value> {
  const validate = reportSchemas.getSchema<Value>(name);
  if (validate === undefined) {
    throw new Error(`There is no schema ${name}`);
  }
  return validate;
}
