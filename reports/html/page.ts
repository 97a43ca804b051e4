import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Outcome } from '../../contract/verdict.ts';
import { OUTCOME_SIGN } from '../model/requirement-groups.ts';
import { printableLine } from '../model/words.ts';
import { factsHtml } from './parts.ts';
import { html, renderHtmlTemplate, trustedHtml, type Html } from './template.ts';

/** What the banner says about a run, by name. */
export type PageFacts = readonly (readonly [name: string, value: string])[];

/** A page: its title, a banner with the verdict, and what is below. */
export interface Page {
  readonly title: string;
  readonly outcome: Outcome;
  /** In place of the sign of the outcome. */
  readonly sign?: string;
  /** What the page is about, after the name of the product. */
  readonly about: string;
  readonly verdict: string;
  readonly scope: string;
  readonly facts: PageFacts;
  /** In the order in which it is read. */
  readonly body: readonly Html[];
  /** Whether its tables take the whole width of the window. */
  readonly isWide?: boolean;
}

/** Filters for a page whose script does not run. With them a large page takes seconds longer to load. */
const STYLE_WITHOUT_SCRIPT = html`<noscript
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

/** A self-contained HTML page: only its own script runs, and nothing is loaded from anywhere. */
export function renderPage({ title, body, isWide = false, ...banner }: Page): string {
  // In the package, both lie beside the bundled program.
  const script = readFileSync(new URL('./report-page.js', import.meta.url), 'utf8');
  const style = readFileSync(new URL('./report-page.css', import.meta.url), 'utf8');
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content="${policy(script)}" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="referrer" content="no-referrer" />
        <title>${title} – stockcheck</title>
        ${trustedHtml(`<style>${style}</style>`)} ${STYLE_WITHOUT_SCRIPT}
      </head>
      <body class="${isWide ? 'wide' : 'narrow'}">
        <a class="skip" href="#main">Skip to what was found</a>
        ${bannerHtml(banner)}
        <main id="main" class="wrap">${body}</main>
        ${trustedHtml(`<script>${script}</script>`)}
      </body>
    </html>`;
  return `${renderHtmlTemplate(page)}\n`;
}

/** Runs that script and no other, builds no markup from text, and loads nothing. */
function policy(script: string): string {
  const hash = createHash('sha256').update(script).digest('base64');
  return [
    "default-src 'none'",
    `script-src 'sha256-${hash}'`,
    "style-src 'unsafe-inline'",
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
}

/** A moment in ISO 8601 as people write it, such as `2026-11-02 09:30:00 UTC`. */
export function dateText(moment: string): string {
  return moment.replace('T', ' ').replace(/(?:\.\d+)?Z$/, ' UTC');
}

/** The facts that every run has. */
export function runFacts(run: {
  readonly startedAt: string;
  readonly durationSeconds: number;
  readonly suite: { readonly version: string };
}): PageFacts {
  return [
    ['Started', dateText(run.startedAt)],
    ['Took', `${run.durationSeconds.toFixed(1)} s`],
    ['Suite', run.suite.version],
  ];
}

function bannerHtml({
  outcome,
  sign,
  about,
  verdict,
  scope,
  facts,
}: Omit<Page, 'title' | 'body' | 'isWide'>): Html {
  return html`<header class="banner ${outcome}">
    <div class="wrap">
      <p class="product"><b>stockcheck</b> · ${about}</p>
      <div class="verdict">
        <span class="sign" aria-hidden="true">${sign ?? OUTCOME_SIGN[outcome]}</span>
        <div>
          <h1>${verdict}</h1>
          <p>${printableLine(scope)}</p>
        </div>
      </div>
      ${factsHtml(facts)}
    </div>
  </header>`;
}
