import { html } from '../template.ts';

/** Colours, light and dark, the elements of a page, and what stands in many places of it. */
export const THEME = html`<style>
  :root {
    color-scheme: light dark;
    --page: light-dark(#f5f6f8, #10141a);
    --card: light-dark(#ffffff, #181e26);
    --sunken: light-dark(#f0f2f5, #11161d);
    --line: light-dark(#dfe3e8, #2c3541);
    --edge: light-dark(#868f9a, #6d7885);
    --text: light-dark(#1b2430, #e4e9ef);
    --muted: light-dark(#56616f, #a0abb9);
    --accent: light-dark(#1f5fbf, #86b7fb);
    --mark: light-dark(#ffe08a, #6b4f00);
    --pass: light-dark(#136c3a, #74d99a);
    --pass-soft: light-dark(#dcf3e4, #15341f);
    --fail: light-dark(#b3202c, #ff9a9c);
    --fail-soft: light-dark(#fde4e5, #461b20);
    --inconclusive: light-dark(#855000, #f3c566);
    --inconclusive-soft: light-dark(#fdeecb, #3e2e0c);
    --skipped: light-dark(#4d5866, #b3bdc9);
    --skipped-soft: light-dark(#e7eaee, #2a323c);
    --observed: light-dark(#1d5a97, #8cc4fa);
    --observed-soft: light-dark(#deecfa, #17304a);
    --refused: light-dark(#6d3bb0, #c6a4ff);
    --wait-soft: light-dark(#ece3d2, #453b24);
    --wait-line: light-dark(#94763c, #b39a63);
    --mono: ui-monospace, 'SF Mono', 'Cascadia Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace;
  }
  .pass {
    --tone: var(--pass);
    --soft: var(--pass-soft);
  }
  .fail {
    --tone: var(--fail);
    --soft: var(--fail-soft);
  }
  .inconclusive {
    --tone: var(--inconclusive);
    --soft: var(--inconclusive-soft);
  }
  .skipped {
    --tone: var(--skipped);
    --soft: var(--skipped-soft);
  }
  .observed {
    --tone: var(--observed);
    --soft: var(--observed-soft);
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
    overflow-wrap: anywhere;
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
  h4,
  p,
  dd {
    margin: 0;
  }
  a {
    color: var(--accent);
  }
  td a {
    white-space: nowrap;
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
  pre {
    margin: 0;
    padding: 0.6rem 0.75rem;
    background: var(--card);
    border: 1px solid var(--line);
    border-radius: 6px;
    white-space: pre-wrap;
    max-height: 28rem;
    overflow-y: auto;
  }
  details {
    margin-top: 0.5rem;
  }
  summary {
    cursor: pointer;
    color: var(--accent);
    font-size: 0.88rem;
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
  [hidden] {
    display: none !important;
  }
  .wrap {
    max-width: 70rem;
    margin: 0 auto;
    padding: 0 1.5rem;
  }
  .wide .wrap {
    max-width: 110rem;
  }
  main.wrap {
    padding-block: 1.75rem 3rem;
  }
  .unseen {
    position: absolute;
    width: 1px;
    height: 1px;
    overflow: hidden;
    clip-path: inset(50%);
    white-space: nowrap;
  }
  .muted,
  .about,
  dt {
    color: var(--muted);
  }
  .about {
    font-size: 0.85rem;
    margin: 0.15rem 0;
  }
  .about code {
    color: var(--text);
  }
  .card {
    background: var(--card);
    border: 1px solid var(--line);
    border-radius: 10px;
    overflow: hidden;
  }
  ul + .card {
    margin-top: 0.75rem;
  }
  .box {
    margin-top: 0.5rem;
    padding: 0.55rem 0.9rem;
    border-radius: 8px;
    background: var(--soft);
  }
  .box ul {
    margin: 0.2rem 0 0;
    padding-left: 1.2rem;
  }
  .lines {
    margin: 0;
    padding: 0.8rem 1.1rem 0.8rem 2rem;
  }
  .inline {
    display: flex;
    flex-wrap: wrap;
    gap: 0.2rem 1.1rem;
    margin: 0.3rem 0;
    padding: 0;
    list-style: none;
    font-size: 0.84rem;
  }
  .facts dt {
    font-size: 0.8rem;
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
  .level {
    display: inline-block;
    padding: 0 0.4rem;
    border: 1px solid var(--line);
    border-radius: 4px;
    color: var(--muted);
    font-size: 0.75rem;
  }
</style>`;
