import { html } from '../template.ts';

/** Wide tables whose head and first column stay in sight. */
export const COMPARISON_STYLE = html`<style>
  .wrap {
    max-width: 84rem;
  }
  main > .choice {
    margin-top: 2.5rem;
  }
  .rows h2 {
    margin-top: 1.75rem;
  }
  .scroll {
    overflow: auto;
    max-height: 92vh;
  }
  .scroll table {
    min-width: 44rem;
    border-collapse: separate;
    border-spacing: 0;
  }
  .scroll :is(th, td) {
    padding: 0.45rem 0.8rem;
    border-top: 1px solid var(--line);
    overflow-wrap: break-word;
  }
  .scroll thead th {
    position: sticky;
    top: 0;
    z-index: 2;
    border-top: 0;
    white-space: normal;
    vertical-align: bottom;
  }
  .scroll th:first-child {
    position: sticky;
    left: 0;
    z-index: 1;
    min-width: 17rem;
    max-width: 26rem;
    background: var(--card);
    border-right: 1px solid var(--line);
  }
  .scroll thead th:first-child {
    z-index: 3;
    background: var(--sunken);
  }
  .scroll thead th:not(:first-child) {
    min-width: 6.5rem;
    max-width: 11rem;
  }
  .scroll tbody tr:hover > :is(th, td:not(.fail, .inconclusive)) {
    background: var(--sunken);
  }
  .statement {
    display: block;
    color: var(--muted);
    font-size: 0.82rem;
    line-height: 1.35;
  }
  .rows td {
    font-size: 0.87rem;
  }
  .made {
    white-space: nowrap;
    font-size: 0.87rem;
  }
  .cell {
    color: var(--tone);
    white-space: nowrap;
  }
  .cell:is(.fail, .inconclusive) {
    background: var(--soft);
    font-weight: 600;
  }
  .cell.muted {
    color: var(--muted);
  }
  .cell a {
    color: inherit;
  }
  .verdict-cell b {
    color: var(--tone);
  }
  .shown {
    padding: 0.8rem 1.15rem;
    margin-top: 0.8rem;
    border-left: 4px solid var(--tone);
    scroll-margin-top: 1rem;
  }
  .shown h3 {
    margin-bottom: 0.3rem;
    font-weight: 400;
  }
  .shown ul {
    margin: 0.5rem 0 0;
    padding-left: 1.2rem;
  }
  .shown li {
    margin-top: 0.4rem;
    overflow-wrap: anywhere;
  }
  .shown code:is(:target, [aria-current]) {
    background: var(--mark);
  }
  @media (max-width: 40rem) {
    .scroll th:first-child {
      min-width: 7.5rem;
      max-width: 7.5rem;
      overflow-wrap: anywhere;
    }
    .scroll :is(th, td) {
      padding: 0.4rem 0.6rem;
    }
    .statement {
      display: none;
    }
  }
  @media print {
    .scroll {
      max-height: none;
      overflow: visible;
    }
    .scroll thead th,
    .scroll th:first-child {
      position: static;
    }
    .scroll :is(th, td),
    .statement {
      font-size: 7.5pt;
    }
  }
</style>`;
