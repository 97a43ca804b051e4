import { html } from '../template.ts';

/** Scenarios, plots and tables of figures, on screen and on paper. */
export const LOAD_STYLE = html`<style>
  :root {
    --refused: #6d3bb0;
  }
  @media (prefers-color-scheme: dark) {
    :root {
      --refused: #c6a4ff;
    }
  }
  .load {
    border-top: 3px solid var(--tone);
    margin-top: 2.5rem;
    scroll-margin-top: 1rem;
  }
  .load h2 {
    margin: 0.9rem 0 0.4rem;
  }
  .load h3 {
    margin: 1.4rem 0 0.5rem;
  }
  .load p,
  .load li {
    overflow-wrap: anywhere;
  }
  .about {
    color: var(--muted);
    font-size: 0.87rem;
    margin-bottom: 0.5rem;
    overflow-wrap: anywhere;
  }
  .reason {
    margin-top: 0.6rem;
    padding: 0.6rem 0.9rem;
    border-radius: 8px;
    background: var(--soft);
  }
  .invalid {
    margin-top: 0.6rem;
    padding: 0.6rem 0.9rem;
    border-radius: 8px;
    background: var(--soft);
    border-left: 4px solid var(--tone);
  }
  .invalid ul,
  .notes {
    margin: 0.3rem 0 0;
    padding-left: 1.2rem;
  }
  .parameters {
    display: flex;
    flex-wrap: wrap;
    gap: 0.3rem 1.75rem;
    margin: 0.7rem 0;
  }
  .parameters dt {
    color: var(--muted);
    font-size: 0.8rem;
  }
  .parameters dd {
    margin: 0;
    overflow-wrap: anywhere;
  }
  .figures {
    margin-top: 0.7rem;
    font-size: 0.87rem;
    font-variant-numeric: tabular-nums;
  }
  .figures .card {
    overflow-x: auto;
  }
  .figures th,
  .figures td {
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
  .figures.narrow .card {
    width: fit-content;
    max-width: 100%;
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
    background: var(--card);
    border: 1px solid var(--line);
    border-radius: 10px;
    max-width: 34rem;
  }
  .plot h4 {
    margin: 0;
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
    overflow-wrap: anywhere;
  }
  .keys {
    display: flex;
    flex-wrap: wrap;
    gap: 0.1rem 1rem;
    list-style: none;
    margin: 0.2rem 0 0.3rem;
    padding: 0;
    font-size: 0.8rem;
  }
  .keys svg {
    vertical-align: -0.1em;
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
  .folded .card {
    margin-top: 0.6rem;
  }
  @media print {
    .plots {
      grid-template-columns: 1fr 1fr;
    }
    .plot {
      break-inside: avoid;
    }
    .figures,
    .figures thead th,
    .figures .badge {
      font-size: 7.5pt;
    }
    .plot figcaption,
    .keys {
      font-size: 7.5pt;
    }
    /* The plots show the same, and report.json has it. */
    .seconds {
      display: none;
    }
    .figures th,
    .figures td {
      padding: 0.15rem 0.35rem;
      white-space: normal;
    }
    .figures th[scope='row'],
    .figures td:last-child {
      min-width: 0;
    }
    .figures .card {
      overflow: visible;
    }
    .load h2,
    .load h3 {
      break-after: avoid;
    }
  }
</style>`;
