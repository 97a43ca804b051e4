import { html } from '../template.ts';

/** The banner, the outcomes, the requirements and what was found of them. */
export const PAGE_STYLE = html`<style>
  .skip:not(:focus) {
    position: absolute;
    left: -100vw;
  }
  .skip {
    display: block;
    padding: 0.5rem 1.5rem;
    background: var(--card);
  }
  .banner {
    background: var(--card);
    border-bottom: 1px solid var(--line);
    border-top: 6px solid var(--tone);
  }
  .banner .wrap {
    padding-block: 1.5rem 1.75rem;
  }
  .product {
    color: var(--muted);
    font-size: 0.87rem;
    margin-bottom: 1rem;
  }
  .product b {
    color: var(--text);
  }
  .verdict {
    display: flex;
    gap: 1rem;
    align-items: center;
  }
  .verdict .sign {
    flex: none;
    display: grid;
    place-items: center;
    width: 3.25rem;
    height: 3.25rem;
    border-radius: 50%;
    background: var(--soft);
    color: var(--tone);
    font-size: 1.6rem;
    font-weight: 700;
  }
  .verdict h1 {
    font-size: 1.75rem;
    color: var(--tone);
  }
  .banner .facts {
    display: grid;
    grid-template-columns: repeat(4, minmax(0, 1fr));
    gap: 0.9rem 1.5rem;
    margin: 1.5rem 0 0;
  }
  .levels {
    display: grid;
    grid-template-columns: repeat(auto-fit, minmax(17rem, 1fr));
    gap: 1rem;
  }
  .levels .card {
    padding: 1rem 1.15rem 0.9rem;
  }
  .levels h3 span {
    font-weight: 400;
  }
  .bar {
    display: flex;
    gap: 2px;
    height: 10px;
    margin: 0.8rem 0 0.7rem;
    border-radius: 5px;
    overflow: hidden;
    background: var(--sunken);
  }
  .bar i {
    min-width: 4px;
    background: var(--tone);
  }
  .levels b {
    color: var(--tone);
    font-variant-numeric: tabular-nums;
  }
  main > section:first-child h2 {
    margin-top: 0;
  }
  .notice {
    border-left: 4px solid var(--inconclusive);
  }
  .seen {
    list-style: none;
    margin: 0;
    padding: 0;
  }
  .seen > li {
    padding: 0.8rem 1.15rem;
    border-left: 4px solid var(--tone);
  }
  .followers {
    margin-top: 0.6rem;
    font-size: 0.92em;
  }
  .followers .seen {
    margin-top: 0.4rem;
  }
  .seen > li + li,
  .requirement + .requirement,
  .scenario + .scenario {
    border-top: 1px solid var(--line);
  }
  .area {
    margin-bottom: 1.25rem;
  }
  .area > h3 {
    padding: 0.7rem 1.15rem;
    background: var(--sunken);
    border-bottom: 1px solid var(--line);
  }
  .area > h3::first-letter {
    text-transform: uppercase;
  }
  .requirement,
  .scenario {
    display: grid;
    grid-template-columns: 8.2rem minmax(0, 1fr);
    gap: 0.15rem 0.75rem;
    padding: 0.75rem 1.15rem;
  }
  .requirement {
    content-visibility: auto;
    contain-intrinsic-size: auto 5rem;
  }
  .requirement h4 {
    font-size: 1rem;
    font-weight: 400;
  }
  :is(.requirement, .shown, .scenario, .finding, .load) {
    scroll-margin-top: 1rem;
  }
  :is(.requirement, .shown, .scenario):is(:target, [aria-current]) {
    box-shadow: inset 4px 0 0 var(--accent);
  }
  .shown {
    padding: 0.8rem 1.15rem;
    margin-top: 0.8rem;
    border-left: 4px solid var(--tone);
  }
  .shown h3 {
    margin-bottom: 0.3rem;
    font-weight: 400;
  }
  .shown code:is(:target, [aria-current]) {
    background: var(--mark);
  }
  .checks,
  .checks summary {
    display: inline;
    margin: 0;
    font-size: inherit;
  }
  .checks summary {
    list-style: none;
    text-decoration: underline dotted;
    text-underline-offset: 0.2em;
  }
  .finding {
    margin-top: 0.5rem;
    padding: 0.5rem 0.9rem;
    background: var(--sunken);
    border: 1px solid var(--line);
    border-radius: 8px;
  }
  .finding[open] {
    padding-bottom: 0.9rem;
  }
  .finding > summary {
    color: inherit;
    font-size: inherit;
  }
  .finding > summary::marker {
    color: var(--muted);
  }
  .finding .label {
    margin: 0.8rem 0 0.25rem;
    font-size: 0.78rem;
    color: var(--muted);
  }
  .finding pre {
    max-height: none;
  }
  .messages {
    display: grid;
    grid-template-columns: minmax(0, 2fr) minmax(0, 3fr);
    gap: 0 0.9rem;
  }
  .messages pre + :not(button),
  .messages .copyable + *,
  .rest,
  .rest pre,
  .rest + pre {
    margin-top: 0.35rem;
  }
  .line {
    display: block;
  }
  .copyable {
    position: relative;
  }
  .copyable > button {
    position: absolute;
    top: 0.3rem;
    right: 0.3rem;
  }
  .with-button > pre {
    padding-right: 4.8rem;
  }
  @media (max-width: 40rem) {
    .banner .facts {
      grid-template-columns: 1fr 1fr;
    }
    .requirement,
    .messages {
      grid-template-columns: minmax(0, 1fr);
    }
  }
</style>`;
