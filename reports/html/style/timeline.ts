import { html } from '../template.ts';

/** The behaviour timeline of a client. */
export const TIMELINE_STYLE = html`<style>
  .scenario {
    grid-template-columns: 14rem minmax(0, 1fr);
    gap: 0.4rem 1.25rem;
  }
  .scenario:is(.fail, .inconclusive) {
    box-shadow: inset 4px 0 0 var(--tone);
  }
  .scenario h3 {
    margin: 0.4rem 0 0.2rem;
    font-size: 0.95rem;
  }
  .scenario h4 {
    font-size: 0.84rem;
  }
  .scenario details:not([open]) {
    display: inline-block;
    margin-right: 1.5rem;
  }
  .moments {
    font-size: 0.84rem;
  }
  .figures.moments :is(th, td) {
    padding: 0.3rem 0.6rem;
  }
  .figures.moments tbody > tr > * {
    min-width: 0;
    white-space: normal;
    overflow-wrap: anywhere;
  }
  .figures.moments td:nth-child(2) {
    min-width: 10rem;
  }
  .chart-frame {
    overflow-x: auto;
  }
  .chart {
    display: block;
    width: 100%;
    min-width: 34rem;
    height: auto;
  }
  .chart text {
    fill: var(--text);
    font-size: 12px;
  }
  .chart .label {
    paint-order: stroke;
    stroke: var(--card);
    stroke-width: 3px;
    stroke-linejoin: round;
  }
  .chart :is(.tick, .lane) {
    fill: var(--muted);
    font-size: 11px;
    font-variant-numeric: tabular-nums;
  }
  .chart .tick {
    text-anchor: middle;
  }
  .chart :is(.lane, .to-left) {
    text-anchor: end;
  }
  .chart .early-text {
    fill: var(--fail);
    font-weight: 700;
  }
  .grid {
    stroke: var(--line);
  }
  .axis,
  .end,
  .return {
    stroke: var(--muted);
  }
  .end {
    stroke-dasharray: 2 3;
  }
  .end-mark {
    fill: var(--muted);
  }
  rect.wait {
    fill: var(--wait-soft);
  }
  .wait-line {
    stroke: var(--wait-line);
    stroke-dasharray: 4 3;
  }
  .allowed {
    fill: none;
    stroke: var(--wait-line);
    stroke-width: 2;
  }
  .unanswered {
    fill: var(--card);
    stroke: var(--muted);
    stroke-dasharray: 3 2;
  }
  .return.early {
    stroke: var(--fail);
  }
  .arrival {
    fill: var(--text);
    stroke: var(--card);
    stroke-width: 1.5;
  }
  .arrival.early {
    fill: var(--fail);
  }
  @media (max-width: 52rem) {
    .scenario {
      grid-template-columns: minmax(0, 1fr);
    }
  }
</style>`;
