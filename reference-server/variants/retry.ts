import { MINUTE_SECONDS } from '../../contract/plans.ts';
import type { Alteration } from '../alterations/alteration.ts';
import type { RetryAfterWriter } from '../service/refusals.ts';
import { httpDate } from '../service/answer.ts';
import { permitting } from './variant.ts';

function writing(retryAfter: RetryAfterWriter): Alteration {
  return { parts: () => ({ retryAfter }) };
}

function dateIn(seconds: number, now: number): string {
  return httpDate(Math.ceil(now + seconds));
}

export const RETRY_VARIANTS = permitting({
  'retry-after form': {
    'retry-after-as-date': ['Retry-After is an HTTP-date', writing(dateIn)],
    'retry-after-with-two-seconds-to-spare': [
      'Retry-After is two seconds longer than needed',
      writing((seconds) => `${seconds + 2}`),
    ],
    'retry-after-in-whole-minutes': [
      'Retry-After is rounded up to whole minutes',
      writing((seconds) => `${Math.ceil(seconds / MINUTE_SECONDS) * MINUTE_SECONDS}`),
    ],
    'retry-after-with-leading-zeros': [
      'Retry-After has six digits, with leading zeros',
      writing((seconds) => `${seconds}`.padStart(6, '0')),
    ],
  },
});
