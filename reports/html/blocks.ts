import { type DocumentBlock, type Entry, type ShownBlock, shownIn } from '../document/document.ts';
import { printableLine } from '../model/words.ts';
import { factsHtml, foldedHtml, listHtml, NO_HTML, tableHtml, wordsHtml } from './parts.ts';
import { html, type Html } from './template.ts';

/** The blocks of a document in a page. @param level of the headings of its sections */
export async function blocksHtml(blocks: readonly DocumentBlock[], level = 2): Promise<readonly Html[]> {
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
