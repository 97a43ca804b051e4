import { renderHtmlTemplate } from '../template.ts';
import { figureHtml, type Figure } from './load-figure.ts';

/** The figure as markup. */
export function drawn(figure: Figure): string {
  return renderHtmlTemplate(figureHtml(figure));
}

/** The series of a chart with the points that they draw. */
export function seriesOf({ option }: Figure): Record<string, unknown> {
  return Object.fromEntries(option.series.map(({ name, data }) => [name, data]));
}
