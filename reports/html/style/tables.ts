import { html } from '../template.ts';

/** Tables: of words, of figures, and wide ones whose head and first column stay in sight. */
export const TABLE_STYLE = html`<style>
  table {
    width: 100%;
    border-collapse: collapse;
  }
  th,
  td {
    padding: 0.5rem 1.15rem;
    text-align: left;
    vertical-align: top;
  }
  thead th {
    background: var(--sunken);
    color: var(--muted);
    font-size: 0.82rem;
    white-space: nowrap;
  }
  tbody th {
    font-weight: 400;
  }
  tbody tr,
  tfoot tr {
    border-top: 1px solid var(--line);
  }
  tfoot {
    font-weight: 600;
  }
  :is(th, td).number {
    text-align: right;
    font-variant-numeric: tabular-nums;
  }
  .figures {
    margin-top: 0.7rem;
    overflow-x: auto;
    font-size: 0.87rem;
    font-variant-numeric: tabular-nums;
  }
  .figures :is(th, td) {
    padding: 0.35rem 0.75rem;
    overflow-wrap: normal;
  }
  .figures td {
    white-space: nowrap;
  }
  .figures th[scope='row'],
  .figures td:last-child {
    min-width: 7rem;
  }
  .figures.narrow {
    width: fit-content;
    max-width: 100%;
  }
  .tried th[scope='row'] {
    min-width: min(16rem, 45vw);
  }
  .named th {
    width: min(14rem, 30vw);
    min-width: 7rem;
    overflow-wrap: normal;
  }
  .named thead th + th {
    width: auto;
  }
  .scroll {
    overflow: auto;
    max-height: 92vh;
  }
  .scroll table {
    border-collapse: separate;
    border-spacing: 0;
  }
  .scroll thead {
    position: sticky;
    top: 0;
    z-index: 2;
    background: var(--sunken);
  }
  .scroll tr > :first-child:not(td) {
    position: sticky;
    left: 0;
    z-index: 1;
    background: var(--card);
    border-right: 1px solid var(--line);
  }
  .scroll thead tr > :first-child:not(td) {
    background: var(--sunken);
  }
  .scroll tbody tr:hover > :is(th, td:not(.fail, .inconclusive)) {
    background: var(--sunken);
  }
  .reports table {
    min-width: 44rem;
  }
  .reports :is(th, td) {
    padding: 0.45rem 0.8rem;
    overflow-wrap: break-word;
  }
  .reports tbody > tr > * {
    border-top: 1px solid var(--line);
  }
  .reports td {
    font-size: 0.87rem;
  }
  .reports th:first-child {
    min-width: 17rem;
    max-width: 26rem;
  }
  .reports thead th:not(:first-child) {
    min-width: 6.5rem;
    max-width: 11rem;
    white-space: normal;
    vertical-align: bottom;
  }
  .reports .about {
    display: block;
    line-height: 1.35;
  }
  .cell {
    color: var(--tone);
    white-space: nowrap;
  }
  .cell a {
    color: inherit;
  }
  td.cell:is(.fail, .inconclusive) {
    background: var(--soft);
    font-weight: 600;
  }
  .matrix table {
    width: max-content;
    font-size: 0.8rem;
  }
  .matrix :is(th, td) {
    padding: 0.1rem 0.25rem;
    white-space: nowrap;
  }
  .matrix tr > th:first-child {
    padding-left: 1rem;
    vertical-align: bottom;
  }
  .matrix tbody td {
    text-align: center;
    border-top: 1px solid color-mix(in srgb, var(--line) 45%, transparent);
  }
  .matrix .area {
    max-width: 0;
    overflow: hidden;
    text-overflow: ellipsis;
  }
  .matrix .area,
  .matrix .first {
    border-left: 1px solid var(--line);
  }
  .matrix .column {
    height: 14rem;
    min-width: 1.5rem;
    vertical-align: bottom;
    font-weight: 400;
  }
  .matrix .column span {
    writing-mode: vertical-rl;
    transform: rotate(180deg);
  }
  .broken {
    color: var(--pass);
  }
  .missed {
    color: var(--fail);
    background: var(--fail-soft);
    font-weight: 700;
  }
  .also {
    color: var(--muted);
    font-weight: 700;
  }
  @media (max-width: 40rem) {
    .reports th:first-child {
      min-width: 7.5rem;
      max-width: 7.5rem;
      overflow-wrap: anywhere;
    }
    .reports .about {
      display: none;
    }
    .named :is(th, td) {
      padding-inline: 0.7rem;
    }
  }
</style>`;
