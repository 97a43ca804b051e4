import { html } from '../template.ts';

/** The wide table of the kill matrix: its head and its first column stay in sight. */
export const KILL_MATRIX_STYLE = html`<style>
  .matrix {
    padding: 0 1.5rem;
  }
  #main > .wrap {
    padding-block: 0.1rem;
  }
  #main > .wrap:last-child {
    padding-bottom: 3rem;
  }
  .matrix .choice {
    margin-top: 0.75rem;
  }
  .matrix .scroll {
    max-height: 92vh;
    overflow: auto;
    background: var(--card);
    border: 1px solid var(--line);
    border-radius: 10px;
  }
  .matrix table {
    width: max-content;
    border-collapse: separate;
    border-spacing: 0;
    font-size: 0.8rem;
  }
  .matrix th,
  .matrix td {
    padding: 0.1rem 0.25rem;
    border-top: 0;
  }
  .matrix thead {
    position: sticky;
    top: 0;
    z-index: 2;
    background: var(--sunken);
  }
  .matrix thead td {
    background: var(--sunken);
  }
  .matrix .area {
    border-left: 1px solid var(--line);
    text-align: left;
    white-space: nowrap;
    overflow: hidden;
    max-width: 0;
    text-overflow: ellipsis;
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
    white-space: nowrap;
  }
  .matrix .corner,
  .matrix tbody th {
    position: sticky;
    left: 0;
    z-index: 1;
    padding-left: 1rem;
    white-space: nowrap;
    background: var(--card);
    border-right: 1px solid var(--line);
  }
  .matrix .corner {
    background: var(--sunken);
    vertical-align: bottom;
  }
  .matrix .first {
    border-left: 1px solid var(--line);
  }
  .matrix tbody td {
    text-align: center;
    border-top: 1px solid color-mix(in srgb, var(--line) 45%, transparent);
  }
  .matrix tbody tr:hover > * {
    background: var(--sunken);
  }
  .matrix .broken {
    color: var(--pass);
  }
  .matrix .missed {
    color: var(--fail);
    background: var(--fail-soft);
    font-weight: 700;
  }
  .matrix .also {
    color: var(--muted);
    font-weight: 700;
  }
  .matrix small {
    color: var(--muted);
  }
</style>`;
