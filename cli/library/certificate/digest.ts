import { createHash } from 'node:crypto';

import type { ArtifactDescriptor } from '../../../reports/index.ts';

/** A digest as an in-toto DigestSet. */
export function digestOf(content: string | Uint8Array): ArtifactDescriptor['digest'] {
  return { sha256: createHash('sha256').update(content).digest('hex') };
}
