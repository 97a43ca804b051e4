import { MINUTE_SECONDS } from '../../contract/plans.ts';
import type { RetryAfterWriter } from '../service/refusals.ts';
import { httpDate } from '../service/render.ts';
import type { Variant } from './variant.ts';

function writing(id: string, title: string, retryAfter: RetryAfterWriter): Variant {
  return { id, title, freedom: 'retry-after form', alter: { parts: () => ({ retryAfter }) } };
}

function dateIn(seconds: number, now: number): string {
  return httpDate(Math.ceil(now + seconds));
}

export const RETRY_VARIANTS: readonly Variant[] = [
  writing('retry-after-as-date', 'Retry-After is an HTTP-date', dateIn),
  writing(
    'retry-after-with-two-seconds-to-spare',
    'Retry-After is two seconds longer than needed',
    (seconds) => `${seconds + 2}`,
  ),
  writing(
    'retry-after-in-whole-minutes',
    'Retry-After is rounded up to whole minutes',
    (seconds) => `${Math.ceil(seconds / MINUTE_SECONDS) * MINUTE_SECONDS}`,
  ),
  writing('retry-after-with-leading-zeros', 'Retry-After has six digits, with leading zeros', (seconds) =>
    `${seconds}`.padStart(6, '0'),
  ),
];
