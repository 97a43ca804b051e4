import type { Outcome } from '../../contract/verdict.ts';
import { printableLine } from '../wording/printable.ts';
import { html, renderHtmlTemplate, type Html } from './template.ts';
import { THEME } from './style/theme.ts';

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

/** A self-contained HTML page: no script, nothing loaded from elsewhere. */
export function renderPage({ title, style, banner, body }: Page): string {
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta
          http-equiv="Content-Security-Policy"
          content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
        />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="referrer" content="no-referrer" />
        <title>${title}</title>
        ${THEME} ${style}
      </head>
      <body>
        ${bannerHtml(banner)} ${body}
      </body>
    </html>`;
  return `${renderHtmlTemplate(page)}\n`;
}

/** The facts that every run has. */
export function runFacts(run: {
  readonly startedAt: string;
  readonly durationSeconds: number;
  readonly suite: { readonly version: string };
}): PageFacts {
  return [
    ['Started', run.startedAt.replace('T', ' ').replace(/(?:\.\d+)?Z$/, ' UTC')],
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
      <dl class="facts">
        ${facts.map(
          ([name, value]) =>
            html`<div>
              <dt>${name}</dt>
              <dd>${printableLine(value)}</dd>
            </div>`,
        )}
      </dl>
    </div>
  </header>`;
}
