import { html } from '../template.ts';

/** Scenarios of load, and plots. */
export const LOAD_STYLE = html`<style>
  .load {
    border-top: 3px solid var(--tone);
    margin-top: 2.5rem;
  }
  .load h2 {
    margin: 0.9rem 0 0.4rem;
  }
  .load h3 {
    margin: 1.4rem 0 0.5rem;
  }
  .plots {
    display: grid;
    grid-template-columns: repeat(auto-fit, minmax(min(100%, 27rem), 1fr));
    gap: 1rem;
    margin-top: 0.9rem;
  }
  .plot {
    margin: 0;
    padding: 0.8rem 0.9rem;
    max-width: 34rem;
  }
  .plot h4 {
    font-size: 0.9rem;
  }
  .plot > svg {
    display: block;
    width: 100%;
    height: auto;
  }
  .plot figcaption {
    color: var(--muted);
    font-size: 0.82rem;
  }
  .inline svg {
    vertical-align: -0.15em;
    overflow: visible;
  }
  .round {
    margin-top: 0.8rem;
    padding: 0.5rem 0.9rem;
    border: 1px solid var(--line);
    border-radius: 10px;
  }
  .folded {
    margin-top: 2rem;
  }
  summary + .card {
    margin-top: 0.6rem;
  }
</style>`;
