import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { escapeHtml, html, renderHtmlTemplate } from './template.ts';

describe('the html tag', () => {
  test('escapes text, in content and in attributes', () => {
    const text = `<script>"&'`;
    expect(renderHtmlTemplate(html`<p title="${text}">${text}</p>`)).toBe(
      '<p title="&lt;script&gt;&quot;&amp;&#39;">&lt;script&gt;&quot;&amp;&#39;</p>',
    );
  });

  test('inserts markup, lists of it and numbers unchanged', () => {
    const items = ['a', '<b>'].map((item) => html`<li>${item}</li>`);
    const list = html`<ul>
      ${items}
    </ul>`;
    expect(renderHtmlTemplate(html`${list}${3}`)).toContain('<li>a</li><li>&lt;b&gt;</li>');
    expect(renderHtmlTemplate(html`${3}`)).toBe('3');
  });

  test('leaves no character with a meaning, and loses none', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary-ascii' }), (text) => {
        const escaped = escapeHtml(text);
        expect(escaped).not.toMatch(/[<>"']/);
        const back = escaped
          .replaceAll('&lt;', '<')
          .replaceAll('&gt;', '>')
          .replaceAll('&quot;', '"')
          .replaceAll('&#39;', "'")
          .replaceAll('&amp;', '&');
        expect(back).toBe(text);
      }),
    );
  });
});
