import { createHash } from 'node:crypto';

import type { ArtifactDescriptor } from '../../../reports/index.ts';
import { KNOWN_FAULTS } from '../verify/power.ts';

/** The kill matrix of this version, as `cli/library/verify/known-faults.json` holds it. */
export function killMatrixDescriptor(): ArtifactDescriptor {
  return { name: 'known-faults.json', digest: digestOf(`${JSON.stringify(KNOWN_FAULTS, null, 2)}\n`) };
}

/** A digest as an in-toto DigestSet. */
export function digestOf(content: string | Uint8Array): ArtifactDescriptor['digest'] {
  return { sha256: createHash('sha256').update(content).digest('hex') };
}
