import { readFileSync, writeFileSync } from 'node:fs';

import { messageOf } from '../../contract/error-text.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../contract/json/index.ts';
import { KNOWN_CLIENT_FAULTS } from '../../cli/library/certify/power.ts';
import { KNOWN_VARIANTS } from '../../cli/library/twin/twin.ts';
import { KNOWN_FAULTS } from '../../cli/library/verify/power.ts';
import { SAMPLE_CLIENTS } from '../../fixtures/clients/index.ts';
import { SEED_PLANS } from '../../fixtures/corpora/index.ts';
import { FAULTS, VARIANTS } from '../../reference-server/index.ts';
import { type KillMatrix, validateKillMatrix } from '../../reports/index.ts';
import { mergeKnownClients, mergeKnownFaults, mergeKnownVariants } from './merge-known.ts';

const FAULTS_FILE = new URL('../../cli/library/verify/known-faults.json', import.meta.url);
const CLIENTS_FILE = new URL('../../cli/library/certify/known-client-faults.json', import.meta.url);
const VARIANTS_FILE = new URL('../../cli/library/twin/known-variants.json', import.meta.url);
const USAGE =
  'usage: npm run known -- FILE..., each written by `stockcheck prove --json FILE`, with --clients or without';

process.exitCode = enterMatrices(process.argv.slice(2));

/** Enters what `prove` showed into the files of what is known. @returns the exit code: 2 if a file is of no use */
function enterMatrices(paths: readonly string[]): number {
  if (paths.length === 0) {
    process.stderr.write(`${USAGE}\n`);
    return 2;
  }
  const matrices: KillMatrix[] = [];
  const proofs: JsonObject[] = [];
  for (const path of paths) {
    try {
      const value: JsonValue = JSON.parse(readFileSync(path, 'utf8'));
      if (isJsonObject(value) && value['kind'] === 'prove-clients') {
        proofs.push(value);
      } else {
        matrices.push(requireWhole(validateKillMatrix(value)));
      }
    } catch (error) {
      process.stderr.write(`known: ${path}: ${messageOf(error)}\n`);
      return 2;
    }
  }
  const faults = mergeKnownFaults(KNOWN_FAULTS, matrices, FAULTS);
  const clients = mergeKnownClients(KNOWN_CLIENT_FAULTS, proofs, SAMPLE_CLIENTS);
  const variants = mergeKnownVariants(KNOWN_VARIANTS, matrices, VARIANTS);
  write(FAULTS_FILE, faults);
  write(CLIENTS_FILE, clients);
  write(VARIANTS_FILE, variants);
  process.stdout.write(
    `Known: ${Object.keys(faults).length} of ${FAULTS.length} faults, ${Object.keys(clients).length} faulty clients, ${Object.keys(variants.variants).length} of ${VARIANTS.length} variants\n`,
  );
  return 0;
}

/** @throws {Error} for a matrix that lacks some of what shows a fault */
function requireWhole(matrix: KillMatrix): KillMatrix {
  if (matrix.bail) {
    throw new Error('was made with --bail, so it lacks most of what shows each fault');
  }
  if (matrix.realTimeKeys !== null && matrix.realTimeKeys.length < SEED_PLANS.length) {
    throw new Error('was made with fewer keys than a server has, so that fewer checks ran');
  }
  return matrix;
}

function write(file: URL, value: object): void {
  writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`);
}
