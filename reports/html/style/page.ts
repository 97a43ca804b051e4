import { html } from '../template.ts';

/** The parts of the page, on screen and on paper. */
export const STYLE = html`<style>
  .banner {
    --tone: var(--skipped);
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
  .facts {
    display: grid;
    grid-template-columns: repeat(4, minmax(0, 1fr));
    gap: 0.9rem 1.5rem;
    margin: 1.5rem 0 0;
  }
  .facts dt {
    color: var(--muted);
    font-size: 0.8rem;
  }
  .facts dd {
    margin: 0;
    overflow-wrap: anywhere;
  }
  .levels {
    display: grid;
    grid-template-columns: repeat(auto-fit, minmax(17rem, 1fr));
    gap: 1rem;
  }
  .levels .card {
    padding: 1rem 1.15rem 1.1rem;
  }
  .levels h3 span {
    color: var(--muted);
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
  .tally {
    display: flex;
    flex-wrap: wrap;
    gap: 0.25rem 1rem;
    list-style: none;
    margin: 0;
    padding: 0;
    font-size: 0.87rem;
  }
  .tally b {
    color: var(--tone);
    font-variant-numeric: tabular-nums;
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
  .notice {
    border-left: 4px solid var(--inconclusive);
    margin: 0;
    padding: 0.8rem 1.1rem 0.8rem 2rem;
  }
  .seen {
    list-style: none;
    margin: 0;
    padding: 0;
  }
  .followers {
    margin-top: 0.6rem;
    font-size: 0.92em;
  }
  .followers .seen {
    margin-top: 0.4rem;
  }
  main > section:first-child h2 {
    margin-top: 0;
  }
  .seen > li {
    padding: 0.8rem 1.15rem;
    border-left: 4px solid var(--tone);
  }
  .seen > li + li,
  .requirement + .requirement {
    border-top: 1px solid var(--line);
  }
  .seen p {
    overflow-wrap: anywhere;
  }
  .filter {
    border: 0;
    margin: 0 0 1rem;
    padding: 0;
    display: flex;
    flex-wrap: wrap;
    gap: 0.4rem;
    align-items: center;
  }
  .filter legend {
    float: left;
    margin-right: 0.5rem;
    padding: 0;
    color: var(--muted);
  }
  .filter input {
    position: absolute;
    opacity: 0;
  }
  .filter label {
    padding: 0.15rem 0.8rem;
    border: 1px solid var(--line);
    border-radius: 1rem;
    background: var(--card);
    cursor: pointer;
  }
  .filter input:checked + label {
    border-color: var(--accent);
    color: var(--accent);
    font-weight: 600;
  }
  main:has(#only-fail:checked) .requirement:not(.fail),
  main:has(#only-undecided:checked) .requirement:not(.inconclusive, .skipped),
  main:has(#only-pass:checked) .requirement:not(.pass),
  main:has(#only-observed:checked) .requirement:not(.observed),
  main:has(#only-fail:checked) .area:not(:has(.fail)),
  main:has(#only-undecided:checked) .area:not(:has(.requirement.inconclusive, .requirement.skipped)),
  main:has(#only-pass:checked) .area:not(:has(.requirement.pass)),
  main:has(#only-observed:checked) .area:not(:has(.requirement.observed)) {
    display: none;
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
  .requirement {
    display: grid;
    grid-template-columns: 8.2rem minmax(0, 1fr);
    gap: 0.15rem 0.75rem;
    padding: 0.75rem 1.15rem;
    scroll-margin-top: 1rem;
  }
  .requirement:target {
    box-shadow: inset 4px 0 0 var(--accent);
  }
  .requirement .about {
    font-size: 0.84rem;
    color: var(--muted);
    margin-top: 0.15rem;
    overflow-wrap: anywhere;
  }
  .requirement .about code {
    color: var(--text);
  }
  .finding {
    margin-top: 0.6rem;
    padding: 0.75rem 0.9rem;
    background: var(--sunken);
    border: 1px solid var(--line);
    border-radius: 8px;
  }
  .finding p {
    overflow-wrap: anywhere;
  }
  .finding h4 {
    margin: 0.7rem 0 0.2rem;
    font-size: 0.78rem;
    color: var(--muted);
  }
  .steps {
    margin: 0;
    padding-left: 1.6rem;
    font-size: 0.82rem;
  }
  .steps li {
    overflow-wrap: anywhere;
  }
  .messages {
    display: grid;
    grid-template-columns: repeat(auto-fit, minmax(20rem, 1fr));
    gap: 0 0.9rem;
  }
  @media (max-width: 40rem) {
    .facts {
      grid-template-columns: 1fr 1fr;
    }
    .requirement {
      grid-template-columns: 1fr;
    }
    .messages {
      grid-template-columns: 1fr;
    }
  }
  @media print {
    body {
      background: none;
      font-size: 10pt;
    }
    .filter {
      display: none;
    }
    .wrap {
      max-width: none;
      padding: 0;
    }
    .requirement,
    .finding,
    .seen > li,
    tr {
      break-inside: avoid;
    }
    h2,
    h3 {
      break-after: avoid;
    }
    details::details-content {
      content-visibility: visible;
      display: block;
      height: auto;
    }
    pre {
      max-height: none;
    }
    * {
      print-color-adjust: exact;
    }
  }
</style>`;
