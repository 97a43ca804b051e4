import type { ClientJudge } from '../records/record.ts';
import { completion } from './completion.ts';
import { attempts, backoff, banConduct, waits } from './limits.ts';
import { connections, liberties, limitedConduct, pacing, redirects } from './observed-conduct.ts';
import { operation, repeats } from './operation.ts';
import { error, result } from './replies.ts';
import { bearer, exactPetId, updateBody } from './requests.ts';

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
