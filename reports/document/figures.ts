import type { Figure } from '../html/plots/figure.ts';
import * as doc from './document.ts';

/** Charts side by side; the library that draws them is loaded when it first does. @param id unique in the page */
export function figures(id: string, all: readonly Figure[]): doc.DocumentBlock {
  return doc.drawing(async () => (await import('../html/plots/figure.ts')).figuresHtml(id, all));
}
