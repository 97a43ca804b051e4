import { html } from '../template.ts';

/** Colours, light and dark, and what holds for the whole page. */
export const THEME = html`<style>
  :root {
    color-scheme: light dark;
    --page: #f5f6f8;
    --card: #ffffff;
    --sunken: #f0f2f5;
    --line: #dfe3e8;
    --edge: #868f9a;
    --text: #1b2430;
    --muted: #56616f;
    --accent: #1f5fbf;
    --pass: #136c3a;
    --pass-soft: #dcf3e4;
    --fail: #b3202c;
    --fail-soft: #fde4e5;
    --inconclusive: #855000;
    --inconclusive-soft: #fdeecb;
    --skipped: #4d5866;
    --skipped-soft: #e7eaee;
    --observed: #1d5a97;
    --observed-soft: #deecfa;
    --mark: #ffe08a;
    --mono: ui-monospace, 'SF Mono', 'Cascadia Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace;
  }
  @media (prefers-color-scheme: dark) {
    :root {
      --page: #10141a;
      --card: #181e26;
      --sunken: #11161d;
      --line: #2c3541;
      --edge: #6d7885;
      --text: #e4e9ef;
      --muted: #a0abb9;
      --accent: #86b7fb;
      --pass: #74d99a;
      --pass-soft: #15341f;
      --fail: #ff9a9c;
      --fail-soft: #461b20;
      --inconclusive: #f3c566;
      --inconclusive-soft: #3e2e0c;
      --skipped: #b3bdc9;
      --skipped-soft: #2a323c;
      --observed: #8cc4fa;
      --observed-soft: #17304a;
      --mark: #6b4f00;
    }
  }
  * {
    box-sizing: border-box;
  }
  body {
    margin: 0;
    background: var(--page);
    color: var(--text);
    font:
      15px/1.5 system-ui,
      -apple-system,
      'Segoe UI',
      Roboto,
      'Helvetica Neue',
      'DejaVu Sans',
      sans-serif;
  }
  .wrap {
    max-width: 70rem;
    margin: 0 auto;
    padding: 0 1.5rem;
  }
  main.wrap {
    padding-block: 1.75rem 3rem;
  }
  h1,
  h2,
  h3 {
    line-height: 1.25;
    margin: 0;
    text-wrap: balance;
  }
  h2 {
    font-size: 1.2rem;
    margin: 2.5rem 0 0.75rem;
  }
  h3 {
    font-size: 1rem;
  }
  p {
    margin: 0;
  }
  a {
    color: var(--accent);
  }
  .skip:not(:focus) {
    position: absolute;
    left: -100vw;
  }
  .skip {
    display: block;
    padding: 0.5rem 1.5rem;
    background: var(--card);
  }
  :focus-visible,
  input[type='radio']:focus-visible + label {
    outline: 2px solid var(--accent);
    outline-offset: 2px;
    border-radius: 4px;
  }
  code,
  pre {
    font-family: var(--mono);
    font-size: 0.86em;
  }
  .muted {
    color: var(--muted);
  }
  td a {
    white-space: nowrap;
  }
  .number {
    text-align: right;
    font-variant-numeric: tabular-nums;
  }
  .card {
    background: var(--card);
    border: 1px solid var(--line);
    border-radius: 10px;
    overflow: hidden;
  }
  details {
    margin-top: 0.5rem;
  }
  mark {
    background: var(--mark);
    color: inherit;
    border-radius: 3px;
    padding: 0.05em 0.15em;
    margin: 0 -0.15em;
  }
  button {
    font: inherit;
    font-size: 0.82rem;
    padding: 0.1rem 0.6rem;
    border: 1px solid var(--line);
    border-radius: 6px;
    background: var(--card);
    color: var(--accent);
    cursor: pointer;
  }
  button:hover {
    border-color: var(--accent);
  }
  .unseen {
    position: absolute;
    width: 1px;
    height: 1px;
    overflow: hidden;
    clip-path: inset(50%);
    white-space: nowrap;
  }
  [hidden] {
    display: none !important;
  }
  summary {
    cursor: pointer;
    color: var(--accent);
    font-size: 0.88rem;
  }
  pre {
    margin: 0;
    padding: 0.6rem 0.75rem;
    background: var(--card);
    border: 1px solid var(--line);
    border-radius: 6px;
    white-space: pre-wrap;
    overflow-wrap: anywhere;
    max-height: 28rem;
    overflow-y: auto;
  }
  table {
    width: 100%;
    border-collapse: collapse;
  }
  th,
  td {
    padding: 0.5rem 1.15rem;
    text-align: left;
    vertical-align: top;
    overflow-wrap: anywhere;
  }
  thead th {
    background: var(--sunken);
    color: var(--muted);
    font-size: 0.82rem;
    white-space: nowrap;
  }
  thead th.number {
    text-align: right;
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
  .badge {
    display: inline-block;
    padding: 0.1rem 0.55rem;
    border-radius: 1rem;
    background: var(--soft);
    color: var(--tone);
    font-size: 0.8rem;
    font-weight: 600;
    white-space: nowrap;
  }
  .time {
    white-space: nowrap;
    font-variant-numeric: tabular-nums;
  }
  .level {
    display: inline-block;
    padding: 0 0.4rem;
    border: 1px solid var(--line);
    border-radius: 4px;
    color: var(--muted);
    font-size: 0.75rem;
  }
</style>`;
