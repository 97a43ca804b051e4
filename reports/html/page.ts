import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Outcome } from '../../contract/verdict.ts';
import { printableLine } from '../model/words.ts';
import { NO_HTML } from './parts.ts';
import { STYLE_WITHOUT_SCRIPT } from './style/choice.ts';
import { THEME } from './style/theme.ts';
import { html, type Html, renderHtmlTemplate, trustedHtml } from './template.ts';

/** What the banner says about a run, by name. */
export type PageFacts = readonly (readonly [name: string, value: string])[];

/** A page: its title, its styles in addition to those of the theme, a banner with the verdict, and what is below. */
export interface Page {
  readonly title: string;
  readonly style: Html;
  readonly banner: {
    readonly outcome: Outcome;
    readonly sign: string;
    /** What the page is about, after the name of the product. */
    readonly about: string;
    readonly verdict: string;
    readonly scope: string;
    readonly facts: PageFacts;
  };
  readonly body: Html;
}

/** A self-contained HTML page: only its own script runs, and nothing is loaded from anywhere. */
export function renderPage({ title, style, banner, body }: Page): string {
  const script = pageScript();
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta http-equiv="Content-Security-Policy" content="${policy(script)}" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="referrer" content="no-referrer" />
        <title>${title}</title>
        ${THEME} ${style} ${STYLE_WITHOUT_SCRIPT}
      </head>
      <body>
        <a class="skip" href="#main">Skip to what was found</a>
        ${bannerHtml(banner)} ${body} ${trustedHtml(`<script>${script}</script>`)}
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

function bannerHtml({ outcome, sign, about, verdict, scope, facts }: Page['banner']): Html {
  return html`<header class="banner ${outcome}">
    <div class="wrap">
      <p class="product"><b>stockcheck</b> · ${about}</p>
      <div class="verdict">
        <span class="sign" aria-hidden="true">${sign}</span>
        <div>
          <h1>${verdict}</h1>
          <p>${printableLine(scope)}</p>
        </div>
      </div>
      ${facts.length === 0 ? NO_HTML : factsHtml(facts)}
    </div>
  </header>`;
}

function factsHtml(facts: PageFacts): Html {
  return html`<dl class="facts">
    ${facts.map(
      ([name, value]) =>
        html`<div>
          <dt>${name}</dt>
          <dd>${printableLine(value)}</dd>
        </div>`,
    )}
  </dl>`;
}

/** The script of a report's page, as it stands in the page. */
function pageScript(): string {
  // In the package, it lies beside the bundled program.
  return readFileSync(new URL('./report-page.js', import.meta.url), 'utf8');
}
