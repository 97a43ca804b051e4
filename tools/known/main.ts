import { readFileSync, writeFileSync } from 'node:fs';

import { messageOf } from '../../contract/error-text.ts';
import { KNOWN_VARIANTS } from '../../cli/library/twin/twin.ts';
import { KNOWN_FAULTS } from '../../cli/library/verify/power.ts';
import { FAULTS, VARIANTS } from '../../reference-server/index.ts';
import { type KillMatrix, validateKillMatrix } from '../../reports/index.ts';
import { mergeKnownFaults } from './faults.ts';
import { mergeKnownVariants } from './variants.ts';

const FAULTS_FILE = new URL('../../cli/library/verify/known-faults.json', import.meta.url);
const VARIANTS_FILE = new URL('../../cli/library/twin/known-variants.json', import.meta.url);
const USAGE = 'usage: npm run known -- FILE..., each written by `stockcheck prove --json FILE`';

process.exitCode = enterMatrices(process.argv.slice(2));

/** Enters what kill matrices show into the files of what is known. @returns the exit code: 2 if a file is of no use */
function enterMatrices(paths: readonly string[]): number {
  if (paths.length === 0) {
    process.stderr.write(`${USAGE}\n`);
    return 2;
  }
  const matrices: KillMatrix[] = [];
  for (const path of paths) {
    try {
      matrices.push(validateKillMatrix(JSON.parse(readFileSync(path, 'utf8'))));
    } catch (error) {
      process.stderr.write(`known: ${path}: ${messageOf(error)}\n`);
      return 2;
    }
  }
  const faults = mergeKnownFaults(KNOWN_FAULTS, matrices, FAULTS);
  const variants = mergeKnownVariants(KNOWN_VARIANTS, matrices, VARIANTS);
  write(FAULTS_FILE, faults);
  write(VARIANTS_FILE, variants);
  process.stdout.write(
    `Known: ${Object.keys(faults).length} of ${FAULTS.length} faults, ${Object.keys(variants.variants).length} of ${VARIANTS.length} variants\n`,
  );
  return 0;
}

function write(file: URL, value: object): void {
  writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`);
}
