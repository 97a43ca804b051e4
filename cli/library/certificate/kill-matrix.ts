import type { ArtifactDescriptor } from '../../../reports/index.ts';
import { KNOWN_CLIENT_FAULTS } from '../certify/power.ts';
import { KNOWN_FAULTS } from '../verify/power.ts';
import { digestOf } from './digest.ts';

/** What is known of servers, and what of clients, each in a file. */
const MATRICES = {
  verify: { name: 'known-faults.json', faults: KNOWN_FAULTS },
  certify: { name: 'known-client-faults.json', faults: KNOWN_CLIENT_FAULTS },
} as const;

/** What this version knows of faults, as the folder of the command holds it. */
export function killMatrixDescriptor(kind: keyof typeof MATRICES): ArtifactDescriptor {
  const { name, faults } = MATRICES[kind];
  return { name, digest: digestOf(`${JSON.stringify(faults, null, 2)}\n`) };
}
