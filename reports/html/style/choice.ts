import { html } from '../template.ts';

/** The form that searches and filters a page, and what it finds. */
export const CHOICE_STYLE = html`<style>
  .choice {
    display: flex;
    flex-wrap: wrap;
    gap: 0.6rem 1.5rem;
    align-items: center;
    margin: 0.75rem 0 1rem;
    padding: 0.7rem 1.15rem;
    background: var(--card);
    border: 1px solid var(--line);
    border-radius: 10px;
  }
  section + .choice {
    margin-top: 2.5rem;
  }
  .choice + .rows h2 {
    margin-top: 1.75rem;
  }
  .choice p:first-child {
    flex: 1 1 100%;
    display: flex;
    gap: 0.6rem;
    align-items: center;
  }
  .choice [type='search'] {
    flex: 1;
    min-width: 0;
    padding: 0.35rem 0.7rem;
    font: inherit;
    color: inherit;
    background: var(--page);
    border: 1px solid var(--edge);
    border-radius: 6px;
  }
  .choice [type='search']::placeholder {
    color: var(--muted);
  }
  .choice > p > label,
  .choice legend {
    color: var(--muted);
    font-size: 0.87rem;
  }
  .filter {
    border: 0;
    margin: 0;
    padding: 0;
    display: flex;
    flex-wrap: wrap;
    gap: 0.35rem;
    align-items: center;
    font-size: 0.87rem;
  }
  .filter legend {
    float: left;
    margin-right: 0.35rem;
    padding: 0;
  }
  .filter input {
    position: absolute;
    opacity: 0;
  }
  .filter label {
    padding: 0.1rem 0.7rem;
    border: 1px solid var(--edge);
    border-radius: 1rem;
    cursor: pointer;
  }
  .filter input:checked + label {
    border-color: var(--accent);
    background: var(--accent);
    color: var(--card);
    font-weight: 600;
  }
  .found {
    flex: 1 1 12rem;
    color: var(--muted);
    font-size: 0.87rem;
    font-variant-numeric: tabular-nums;
  }
  .found button {
    margin-left: 0.5rem;
  }
  .keyboard {
    margin: 0;
  }
  .keyboard[open] {
    flex: 1 1 100%;
  }
  kbd {
    padding: 0 0.4rem;
    border: 1px solid var(--edge);
    border-bottom-width: 2px;
    border-radius: 4px;
    font-family: var(--mono);
    font-size: 0.82rem;
  }
</style>`;

/** Filters for a page whose script does not run. With them a large page takes seconds longer to load. */
export const STYLE_WITHOUT_SCRIPT = html`<noscript
  ><style>
    main:has(#show-fail:checked) .requirement:not(.fail),
    main:has(#show-undecided:checked) .requirement:not(.inconclusive, .skipped),
    main:has(#show-pass:checked) .requirement:not(.pass),
    main:has(#show-observed:checked) .requirement:not(.observed),
    main:has(#level-must:checked) .requirement:not(.must),
    main:has(#level-should:checked) .requirement:not(.should),
    main:has(#level-observe:checked) .requirement:not(.observe),
    .choice .needs-script {
      display: none !important;
    }
  </style></noscript
>`;
