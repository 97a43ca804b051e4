import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

import {
  type Document,
  type DocumentBlock,
  type Entry,
  type ShownBlock,
  shownIn,
} from '../document/document.ts';
import { OUTCOME_SIGN } from '../model/requirement-groups.ts';
import { printableLine } from '../model/words.ts';
import { factsHtml, foldedHtml, listHtml, NO_HTML, tableHtml, wordsHtml } from './parts.ts';
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

/** The blocks of a document in a page. @param level of the headings of its sections */
async function blocksHtml(blocks: readonly DocumentBlock[], level = 2): Promise<readonly Html[]> {
  const parts = await Promise.all(shownIn('page', blocks).map((block) => blockHtml(block, level)));
  return parts.filter((part) => part !== NO_HTML);
}

async function blockHtml(block: ShownBlock, level: number): Promise<Html> {
  switch (block.kind) {
    case 'line':
      return block.words === '' ? NO_HTML : html`<p class="${block.look}">${wordsHtml(block.words)}</p>`;
    case 'list':
      return listHtml(block.items.map(wordsHtml), block.look);
    case 'entries':
      return entriesHtml(await Promise.all(block.entries.map(entryHtml)), block.look);
    case 'table':
      return tableHtml(block.table, block.look);
    case 'facts': {
      const { caption, facts } = block;
      return caption === null
        ? factsHtml(facts, 'inline')
        : tableHtml({ caption, columns: ['What', 'Value'], rows: facts }, 'named');
    }
    case 'text':
      return block.text === '' ? NO_HTML : html`<pre>${block.text}</pre>`;
    case 'section':
      return sectionHtml(block, level);
    case 'folded':
      return foldedHtml(wordsHtml(block.summary), together(await blocksHtml(block.blocks, 4)), block.look);
    case 'drawing':
      return block.draw();
  }
}

async function sectionHtml(
  { title, about, blocks }: Extract<DocumentBlock, { kind: 'section' }>,
  level: number,
): Promise<Html> {
  const body = await blocksHtml(blocks, level + 1);
  const whole = html`<h${level}>${printableLine(title)}</h${level}>
    ${body}`;
  if (about !== undefined) {
    return html`<section class="load ${about.outcome}" id="${about.id}">${whole}</section>`;
  }
  return body.length === 0 ? NO_HTML : level > 2 ? whole : html`<section>${whole}</section>`;
}

async function entryHtml({ outcome, head, blocks, id }: Entry): Promise<Html> {
  const attribute = id === undefined ? NO_HTML : html` id="${id}"`;
  return html`<li class="${outcome}" ${attribute}>
    <p>${wordsHtml(head)}</p>
    ${await blocksHtml(blocks, 3)}
  </li>`;
}

function entriesHtml(items: readonly Html[], look: string): Html {
  return items.length === 0
    ? NO_HTML
    : html`<ul class="${look}">
        ${items}
      </ul>`;
}

function together(parts: readonly Html[]): Html {
  return parts.length === 0 ? NO_HTML : html`${parts}`;
}
