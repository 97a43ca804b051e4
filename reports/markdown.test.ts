import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { codeBlock, markdownText } from './markdown-text.ts';
import { renderMarkdown } from './markdown.ts';
import { hostileReport, SAMPLE_REPORT } from './sample-report.test-data.ts';

const anyText = fc.string({ unit: 'binary' });

/** The document with the content of its fenced code blocks taken out, by the rule of CommonMark for fences. */
function withoutCode(markdown: string): string[] {
  const lines: string[] = [];
  let fence: string | undefined;
  for (const line of markdown.split('\n')) {
    if (fence === undefined) {
      fence = /^`{3,}/.exec(line)?.[0];
      lines.push(line);
    } else if (/^ {0,3}`{3,}\s*$/.test(line) && line.trim().length >= fence.length) {
      fence = undefined;
    }
  }
  return lines;
}

/** What each line is made of: unescaped pipes, tags and marks. */
function skeleton(markdown: string): string[] {
  return withoutCode(markdown).map((line) => line.replaceAll(/\\./g, '').replaceAll(/[^|<>`*#[\]]/g, ''));
}

describe('the Markdown summary', () => {
  const markdown = renderMarkdown(SAMPLE_REPORT);

  test('says verdict, scope, failures, areas, reasons and observations', () => {
    expect(markdown).toMatch(/^# ✗ stockcheck: nonconformant\n/);
    expect(markdown).toContain(`**${SAMPLE_REPORT.scope}**`);
    expect(markdown).toContain(
      '| limit-under-concurrency | must | Limits, Rate limits by plan | 64 of 90 concurrent requests were accepted',
    );
    const independence = SAMPLE_REPORT.requirements.filter(({ area }) => area === 'independence').length;
    expect(markdown).toContain(`| independence | 0 | 0 | 0 | ${independence} | 0 |`);
    expect(markdown).toContain('No revoked key was given. (revoked-key)');
    expect(markdown).toContain('| window-algorithm | sliding-log |');
    expect(markdown).toContain("```sh\ncurl -i 'http://127.0.0.1:8080/v1/inventory'");
  });

  test('has the same structure whatever the target said', () => {
    const hostile = renderMarkdown(hostileReport());
    const plain = renderMarkdown(hostileReport('plain'));
    const comment = /@<!-- -->/g;
    const fences = /`{3,}/g;
    expect(skeleton(hostile.replaceAll(comment, '')).map((line) => line.replaceAll(fences, '```'))).toEqual(
      skeleton(plain),
    );
    expect(hostile.length).toBeLessThan(1_000_000);
  });

  test('escapes every mark in a text', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const bare = markdownText(text, 10_000)
          .replaceAll(/\\./gs, '')
          .replaceAll('<!-- -->', '')
          .replaceAll(/&(?:amp|lt|gt|quot|#39);/g, '');
        expect(bare).not.toMatch(/[\\`*_[\]#|~$<>&"'\n\r]/);
      }),
    );
    expect(markdownText('WWW.evil.test https://evil.test')).toBe(
      String.raw`WWW\.evil.test https\://evil.test`,
    );
  });

  test('fences code so that no content ends it', () => {
    const ticks = fc.string({ unit: fc.constantFrom('`', '~', '\n', 'a', ' ') });
    fc.assert(
      fc.property(ticks, (text) => {
        expect(withoutCode(`${codeBlock('http', text)}\nafter`)).toEqual([
          expect.stringMatching(/^`{3,}http$/),
          'after',
        ]);
      }),
    );
  });
});
