import { listHtml, NO_HTML } from '../parts.ts';
import { html, type Html } from '../template.ts';
import { CHART_SIZE, drawChart, legendOf, type Chart, type LegendItem } from './chart.ts';

/** A chart with its title and what it shows in words. */
export interface Figure {
  readonly title: string;
  readonly chart: Chart;
  /** The figures that the chart shows, for those who do not see it. */
  readonly caption: string;
}

/** The figures side by side, as many as there is room for. @param id unique in the page */
export function figuresHtml(id: string, figures: readonly Figure[]): Html {
  return figures.length === 0
    ? NO_HTML
    : html`<div class="plots">
        ${figures.map((figure, index) => figureHtml(`${id}-${index + 1}`, figure))}
      </div>`;
}

function figureHtml(id: string, { title, chart, caption }: Figure): Html {
  const legend = legendOf(chart);
  return html`<figure class="card plot">
    <h4 id="${id}-title">${title}</h4>
    ${
      legend.length > 1
        ? html`<div aria-hidden="true">${listHtml(legend.map(legendHtml), 'inline')}</div>`
        : NO_HTML
    }
    <svg
      viewBox="0 0 ${CHART_SIZE.width} ${CHART_SIZE.height}"
      role="img"
      aria-labelledby="${id}-title"
      aria-describedby="${id}-caption"
    >
      ${drawChart(chart, id)}
    </svg>
    <figcaption id="${id}-caption">${caption}</figcaption>
  </figure>`;
}

function legendHtml({ words, color, shape }: LegendItem): Html {
  return html`<svg viewBox="0 0 22 12" width="22" height="12">${swatchHtml(color, shape)}</svg> ${words}`;
}

const DASHES = { line: 'none', dashed: '5 3', dotted: '1.5 2.5' } as const;

function swatchHtml(color: string, shape: LegendItem['shape']): Html {
  return shape === 'area'
    ? html`<rect x="3" y="1" width="16" height="10" fill="${color}" />`
    : html`<path
        d="M0 6 H22"
        fill="none"
        stroke="${color}"
        stroke-width="2"
        stroke-dasharray="${DASHES[shape]}"
      />`;
}
