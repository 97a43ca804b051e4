import * as fc from 'fast-check';
import type { LoadSecond } from '../../../contract/load-result.ts';
import { renderHtmlTemplate } from '../template.ts';
import { figuresHtml, type Figure } from './figure.ts';

/** The figure as markup. */
export function drawn(figure: Figure, id = 'a'): string {
  return renderHtmlTemplate(figuresHtml(id, [figure]));
}

/** The series of a chart by name, with the points that they draw. */
export function seriesOf({ chart }: Figure): Record<string, unknown> {
  return Object.fromEntries(chart.series.map(({ item, points }) => [item.words, points]));
}

/** A second in which each of these requests is answered, but for the departure. */
export function loadSecond(second: number, departure: Partial<LoadSecond> = {}): LoadSecond {
  const common = { scheduled: 5, sent: 5, answered: 5, lost: 0, statuses: {}, p50: 1, p99: 1, max: 1 };
  return { second, ...common, ...departure };
}

const count = fc.nat({ max: 100_000 });
const time = fc.option(fc.double({ min: 0, max: 1e6, noNaN: true }), { nil: null });

/** Seconds of a measurement, in order, with whatever figures. */
export function anySeconds(size: fc.ArrayConstraints): fc.Arbitrary<readonly LoadSecond[]> {
  const statuses = fc.dictionary(fc.constantFrom('2xx', '3xx', '4xx', '429', '5xx', '1xx'), count);
  return fc
    .array(
      fc.record({
        scheduled: count,
        sent: count,
        answered: count,
        lost: count,
        statuses,
        p50: time,
        p99: time,
        max: time,
      }),
      size,
    )
    .map((rows) => rows.map((row, second) => Object.assign({ second }, row)));
}
