import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Document } from '../document/document.ts';
import { OUTCOME_SIGN } from '../model/requirement-groups.ts';
import { printableLine } from '../model/words.ts';
import { blocksHtml } from './blocks.ts';
import { factsHtml } from './parts.ts';
import { html, renderHtmlTemplate, trustedHtml, type Html } from './template.ts';

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
export async function renderPage(document: Document): Promise<string> {
  const { title, blocks, isWide = false } = document;
  const body = await blocksHtml(blocks);
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
        <title>${printableLine(title)} – stockcheck</title>
        ${trustedHtml(`<style>${style}</style>`)} ${STYLE_WITHOUT_SCRIPT}
      </head>
      <body class="${isWide ? 'wide' : 'narrow'}">
        <a class="skip" href="#main">Skip to what was found</a>
        ${bannerHtml(document)}
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

function bannerHtml({ outcome, sign, about, verdict, scope, facts }: Document): Html {
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
