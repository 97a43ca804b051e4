import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

import type { LoadParameters } from '../../../contract/load-parameters.ts';
import type { DescribedTarget } from '../../../contract/target-fields.ts';
import { TARGET_CONFIG_SCHEMA } from './target-config-schema.ts';

/** A load scenario as a configuration names it; what is not given is the scenario's own. */
export interface ConfiguredScenario extends Partial<LoadParameters> {
  readonly scenario: string;
  readonly thresholds?: readonly string[];
}

/** What a configuration file holds if it matches the schema. */
export interface RawTargetConfig extends DescribedTarget {
  readonly load?: { readonly scenarios: readonly ConfiguredScenario[] };
}

/** The package holds what this compiles to in place of this file (tools/build/validators.js). */
export const targetConfigSchemas = new Ajv2020({
  allErrors: true,
  verbose: true,
  // Compiling the schema of schemas takes longer than all else; a test validates with it.
  validateSchema: false,
  code: { source: true, esm: true },
});
targetConfigSchemas.addSchema(TARGET_CONFIG_SCHEMA, 'matchesTargetConfig');

/** Compiled when it is first asked for. */
export function matchesTargetConfig(): ValidateFunction<RawTargetConfig> {
  const validate = targetConfigSchemas.getSchema<RawTargetConfig>('matchesTargetConfig');
  if (validate === undefined) {
    throw new Error('There is no schema of the configuration');
  }
  return validate;
}
