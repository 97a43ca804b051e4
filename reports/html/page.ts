import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Outcome } from '../../contract/verdict.ts';
import { OUTCOME_SIGN } from '../model/requirement-groups.ts';
import { printableLine } from '../model/words.ts';
import { factsHtml } from './parts.ts';
import { CHOICE_STYLE, STYLE_WITHOUT_SCRIPT } from './style/choice.ts';
import { LOAD_STYLE } from './style/load.ts';
import { PAGE_STYLE } from './style/page.ts';
import { PAPER_STYLE } from './style/paper.ts';
import { TABLE_STYLE } from './style/tables.ts';
import { THEME } from './style/theme.ts';
import { TIMELINE_STYLE } from './style/timeline.ts';
import { TRAIL_STYLE } from './style/trail.ts';
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

const STYLES = [
  THEME,
  TABLE_STYLE,
  PAGE_STYLE,
  CHOICE_STYLE,
  TRAIL_STYLE,
  LOAD_STYLE,
  TIMELINE_STYLE,
  PAPER_STYLE,
  STYLE_WITHOUT_SCRIPT,
];

/** A self-contained HTML page: only its own script runs, and nothing is loaded from anywhere. */
export function renderPage({ title, body, isWide = false, ...banner }: Page): string {
  const script = pageScript();
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content="${policy(script)}" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="referrer" content="no-referrer" />
        <title>${title} – stockcheck</title>
        ${STYLES}
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

/** The script of the page. In the package, it lies beside the bundled program. */
function pageScript(): string {
  return readFileSync(new URL('./report-page.js', import.meta.url), 'utf8');
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
    'trusted-types evidence',
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
