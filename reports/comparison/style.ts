import { html } from '../html/template.ts';

/** Wide tables whose first column stays in sight. */
export const COMPARISON_STYLE = html`<style>
  .scroll {
    overflow-x: auto;
  }
  .scroll th:first-child {
    position: sticky;
    left: 0;
    background: var(--card);
    text-align: left;
    min-width: 15rem;
  }
  .scroll table {
    min-width: 44rem;
  }
  .scroll td {
    overflow-wrap: break-word;
  }
  .scroll thead th:not(:first-child) {
    min-width: 5rem;
    max-width: 10rem;
    white-space: normal;
    overflow-wrap: anywhere;
  }
  @media (max-width: 40rem) {
    .scroll th:first-child {
      min-width: 8.5rem;
      max-width: 8.5rem;
      overflow-wrap: anywhere;
    }
  }
  .cell {
    color: var(--tone);
    white-space: nowrap;
  }
  .cell a {
    color: inherit;
  }
  .shown {
    padding: 0.8rem 1.15rem;
    margin-top: 0.8rem;
    border-left: 4px solid var(--tone);
  }
  .shown:target {
    outline: 2px solid var(--tone);
  }
</style>`;
