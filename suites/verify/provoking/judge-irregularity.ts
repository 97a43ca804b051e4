import { haveCommonBoundary, spanOfSeries, type Exchange, type Irregularity } from '../../oracle/index.ts';
import type { CheckContext } from '../check-context.ts';

/**
 * Judges `remaining-falls` by what is irregular in the last of several series, each at a phase of the minute of its own.
 * @returns whether it was decided: not if a window's end may have disturbed all of them
 */
export function judgeIrregularity(
  context: CheckContext,
  irregularity: Irregularity | undefined,
  series: readonly (readonly Exchange[])[],
): boolean {
  if (irregularity === undefined) {
    context.judge('remaining-falls', true, '');
    return true;
  }
  const { message, exchange } = irregularity;
  if (haveCommonBoundary(series.map(spanOfSeries))) {
    const why = 'A window may have ended in both series, which took too long.';
    context.inconclusive('remaining-falls', `${message} ${why}`, exchange);
    return false;
  }
  context.judge('remaining-falls', false, message, exchange);
  return true;
}
