import { html } from '../template.ts';

/** The behaviour timeline, on screen and on paper. */
export const TIMELINE_STYLE = html`<style>
  :root {
    --refused: #6d3bb0;
    --wait-soft: #ece3d2;
    --wait-line: #94763c;
  }
  @media (prefers-color-scheme: dark) {
    :root {
      --refused: #c6a4ff;
      --wait-soft: #453b24;
      --wait-line: #b39a63;
    }
  }
  .legend {
    display: flex;
    flex-wrap: wrap;
    gap: 0.2rem 1.2rem;
    list-style: none;
    margin: 0.5rem 0 0.9rem;
    padding: 0;
    font-size: 0.84rem;
  }
  .legend svg {
    vertical-align: -0.2em;
    overflow: visible;
  }
  .scenario {
    display: grid;
    grid-template-columns: 14rem minmax(0, 1fr);
    gap: 0.4rem 1.25rem;
    padding: 0.9rem 1.15rem;
    scroll-margin-top: 1rem;
  }
  .scenario.fail,
  .scenario.inconclusive {
    box-shadow: inset 4px 0 0 var(--tone);
  }
  .scenario:target {
    box-shadow: inset 4px 0 0 var(--accent);
  }
  .scenario + .scenario {
    border-top: 1px solid var(--line);
  }
  .scenario-head h3 {
    margin: 0.4rem 0 0.2rem;
    font-size: 0.95rem;
    overflow-wrap: anywhere;
  }
  .scenario .about {
    font-size: 0.84rem;
    color: var(--muted);
    margin-top: 0.15rem;
    overflow-wrap: anywhere;
  }
  .scenario details:not([open]) {
    display: inline-block;
    margin-right: 1.5rem;
  }
  .no-request {
    padding: 0.6rem 0.9rem;
    border: 1px dashed var(--line);
    border-radius: 8px;
    color: var(--muted);
  }
  .failures {
    margin: 0.5rem 0 0.4rem;
    padding: 0.55rem 0.9rem;
    border-radius: 8px;
    background: var(--soft);
    overflow-wrap: anywhere;
  }
  .failures.advice {
    --soft: var(--inconclusive-soft);
  }
  .failures h4 {
    margin: 0;
    font-size: 0.84rem;
  }
  .failures ul {
    margin: 0;
    padding-left: 1.2rem;
  }
  .moments {
    margin-top: 0.4rem;
    font-size: 0.84rem;
    font-variant-numeric: tabular-nums;
  }
  .moments .card {
    overflow-x: auto;
  }
  .moments th,
  .moments td {
    padding: 0.3rem 0.6rem;
  }
  .moments td:nth-child(2) {
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
  .chart .tick,
  .chart .lane {
    fill: var(--muted);
    font-size: 11px;
    font-variant-numeric: tabular-nums;
  }
  .chart .tick {
    text-anchor: middle;
  }
  .chart .lane,
  .chart .to-left {
    text-anchor: end;
  }
  .chart .early-text {
    fill: var(--fail);
    font-weight: 700;
  }
  .grid {
    stroke: var(--line);
  }
  .axis {
    stroke: var(--muted);
  }
  .end {
    stroke: var(--muted);
    stroke-dasharray: 2 3;
  }
  .end-mark {
    fill: var(--muted);
  }
  .wait {
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
  .bar-success {
    fill: var(--pass);
  }
  .bar-redirect {
    fill: var(--observed);
  }
  .bar-refused {
    fill: var(--refused);
  }
  .bar-limited {
    fill: var(--inconclusive);
  }
  .bar-broken {
    fill: var(--fail);
  }
  .bar-other {
    fill: var(--skipped);
  }
  .bar-unanswered {
    fill: var(--card);
    stroke: var(--muted);
    stroke-dasharray: 3 2;
  }
  .return {
    stroke: var(--muted);
  }
  .return.early {
    stroke: var(--fail);
  }
  .mark {
    stroke: var(--card);
    stroke-width: 1.5;
  }
  .mark.in-time {
    fill: var(--text);
  }
  .mark.early {
    fill: var(--fail);
  }
  @media (max-width: 52rem) {
    .scenario {
      grid-template-columns: minmax(0, 1fr);
    }
  }
  @media print {
    .scenario {
      grid-template-columns: minmax(0, 1fr);
    }
    .moments {
      font-size: 7.5pt;
    }
    .moments th,
    .moments td {
      padding: 0.15rem 0.35rem;
    }
    .moments td:nth-child(2) {
      min-width: 0;
    }
    .chart {
      min-width: 0;
      break-inside: avoid;
    }
    .scenario details:not([open]) {
      display: block;
      margin-right: 0;
    }
    .chart-frame,
    .moments .card {
      overflow: visible;
    }
    .scenario-head,
    .failures {
      break-inside: avoid;
    }
  }
</style>`;
