import { init } from 'echarts/dist/echarts.esm.min.mjs';
import type { ChartOption } from './chart-option.ts';
import { trustedHtml, type Html } from '../template.ts';

/** Width of every chart in user units: near that of a phone, so that text stays readable. */
export const CHART_WIDTH = 460;

const FONT_SIZE = 12;

/**
 * The chart as the inside of an SVG element: no script, no style, no animation, the same for equal input. `id` is
 * unique in the page. The renderer escapes the texts in it.
 */
export function drawChart(option: ChartOption, id: string, height: number): Html {
  const chart = init(null, null, { renderer: 'svg', ssr: true, width: CHART_WIDTH, height });
  try {
    chart.setOption({
      animation: false,
      textStyle: { fontFamily: 'inherit', fontSize: FONT_SIZE, color: 'var(--muted)' },
      ...option,
    });
    return trustedHtml(cleaned(chart.renderToSVGString(), id));
  } finally {
    chart.dispose();
  }
}

/** Takes out what is for a pointer, and names what the renderer numbers through all charts of the process. */
function cleaned(svg: string, id: string): string {
  return svg
    .replace(/^\s*<svg[^>]*>/, '')
    .replace(/<\/svg>\s*$/, '')
    .replace(/<style[^>]*>.*?<\/style>/gs, '')
    .replace(/ (?:class|pointer-events|xml:space|ecmeta_\w+)="[^"]*"/g, '')
    .replace(/(?<=(?: id="| clip-path="url\(#))zr\d+-/g, `${id}-`);
}
