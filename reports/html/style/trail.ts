import { html } from '../template.ts';

/** The timeline of a finding's trail. */
export const TRAIL_STYLE = html`<style>
  .trail ol {
    list-style: none;
    margin: 0;
    padding: 0;
  }
  .trail li {
    display: grid;
    grid-template-columns: 5.2rem 2.6rem 1fr;
    gap: 0 1.4rem;
    font-size: 0.82rem;
    position: relative;
    padding: 0.12rem 0;
  }
  .trail time {
    text-align: right;
    font-variant-numeric: tabular-nums;
    color: var(--muted);
  }
  .trail i {
    font-style: normal;
    font-variant-numeric: tabular-nums;
    color: var(--muted);
  }
  .trail li::before {
    content: '';
    position: absolute;
    left: 5.82rem;
    top: 0;
    bottom: 0;
    border-left: 1px solid var(--line);
  }
  .trail li::after {
    content: '';
    position: absolute;
    left: 5.62rem;
    top: 0.5rem;
    width: 0.45rem;
    height: 0.45rem;
    border-radius: 50%;
    background: var(--muted);
  }
  .trail li.control::after {
    background: var(--background, Canvas);
    border: 1px solid var(--muted);
  }
  .trail li.wait::before {
    border-left-style: dotted;
    border-left-width: 2px;
  }
  .trail li.wait::after {
    visibility: hidden;
  }
  .trail li.at-once::before {
    border-left-width: 3px;
  }
  .trail li span {
    overflow-wrap: anywhere;
  }
  .trail b {
    font-weight: 600;
    font-variant-numeric: tabular-nums;
  }
  .trail b::before {
    content: '→ ';
    font-weight: 400;
    color: var(--muted);
  }
  .trail b.granted {
    color: var(--pass);
  }
  .trail b.refused {
    color: var(--inconclusive);
  }
  .trail b.lost {
    color: var(--fail);
  }
  .trail details summary {
    margin-left: 10.6rem;
    font-size: 0.82rem;
  }
</style>`;
