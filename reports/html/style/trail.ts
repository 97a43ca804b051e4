import { html } from '../template.ts';

/** The timeline of a finding's trail. */
export const TRAIL_STYLE = html`<style>
  .trail {
    font-size: 0.82rem;
    font-variant-numeric: tabular-nums;
  }
  .trail ol {
    list-style: none;
    margin: 0;
    padding: 0;
  }
  .trail li {
    display: grid;
    grid-template-columns: 4.2rem 1fr;
    gap: 0 1.4rem;
    position: relative;
    padding: 0.12rem 0;
  }
  .trail time {
    color: var(--muted);
    text-align: right;
  }
  .trail li::before {
    content: '';
    position: absolute;
    left: 4.82rem;
    top: 0;
    bottom: 0;
    border-left: 1px solid var(--line);
  }
  .trail li::after {
    content: '';
    position: absolute;
    left: 4.62rem;
    top: 0.5rem;
    width: 0.45rem;
    height: 0.45rem;
    border-radius: 50%;
    background: var(--muted);
  }
  .trail .control::after {
    background: var(--sunken);
    border: 1px solid var(--muted);
  }
  .trail .wait::before {
    border-left: 2px dotted var(--line);
  }
  .trail .wait::after {
    visibility: hidden;
  }
  .trail .at-once::before {
    border-left-width: 3px;
  }
  .trail b {
    font-weight: 600;
    color: var(--tone);
  }
  .trail b::before {
    content: '→ ';
    font-weight: 400;
    color: var(--muted);
  }
  .trail summary {
    margin-left: 5.6rem;
    font-size: inherit;
  }
</style>`;
