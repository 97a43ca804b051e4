import { join } from 'node:path';

import standalone from 'ajv/dist/standalone/index.js';

import { reportSchemas } from '../../reports/model/report-validators.ts';
import { targetConfigSchemas } from '../../suites/target/configuration/target-config-validator.ts';
import { ROOT } from './root.js';

/** Modules that compile JSON Schemas when they run, with their schemas and the names that they export. */
const MODULES = [
  {
    path: 'reports/model/report-validators.ts',
    schemas: reportSchemas,
    names: ['matchesReport', 'matchesKillMatrix'],
  },
  {
    path: 'suites/target/configuration/target-config-validator.ts',
    schemas: targetConfigSchemas,
    names: ['matchesTargetConfig'],
  },
];

/** Puts the code that JSON Schemas compile to in the place of what would compile them at each start. */
export const compiledValidators = {
  name: 'compiled-validators',
  /** @param {string} id the path of a module */
  load(id) {
    const found = MODULES.find(({ path }) => join(ROOT, path) === id);
    return found === undefined ? null : { code: compiledCode(found), moduleType: 'js' };
  },
};

/** @param {(typeof MODULES)[number]} module */
function compiledCode({ schemas, names }) {
  const code = standalone.default(schemas, Object.fromEntries(names.map((name) => [`${name}Code`, name])));
  const exported = names.map((name) => `export const ${name} = () => ${name}Code;`);
  return [code, ...exported].join('\n');
}
