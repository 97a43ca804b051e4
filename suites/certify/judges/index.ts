import type { ClientJudge } from '../records/record.ts';
import { attempts } from './attempts.ts';
import { backoff } from './backoff.ts';
import { banConduct } from './ban.ts';
import { bearer } from './bearer.ts';
import { completion } from './completion.ts';
import { connections } from './connections.ts';
import { error } from './error.ts';
import { exactPetId } from './exact-pet-id.ts';
import { liberties } from './liberties.ts';
import { limitedConduct } from './limited-conduct.ts';
import { operation } from './operation.ts';
import { pacing } from './pacing.ts';
import { redirects } from './redirects.ts';
import { repeats } from './repeats.ts';
import { result } from './result.ts';
import { updateBody } from './update-body.ts';
import { waits } from './waits.ts';

/** All client judges; a new one is added here. */
export const CLIENT_JUDGES: readonly ClientJudge[] = [
  operation,
  bearer,
  updateBody,
  exactPetId,
  result,
  error,
  repeats,
  waits,
  banConduct,
  completion,
  backoff,
  attempts,
  limitedConduct,
  pacing,
  redirects,
  liberties,
  connections,
];
