import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { runDocument } from '../document/run.ts';
import type { Report } from '../model/report.ts';
import { codeBlock, markdownText, renderMarkdown } from './document.ts';
import { SAMPLE_CERTIFY_REPORT } from '../model/sample-certify-report.test-data.ts';
import { SAMPLES } from '../model/sample-load-report.test-data.ts';
import { hostileOf, REPORT_WITH_CAUSES, SAMPLE_REPORT } from '../model/sample-report.test-data.ts';

const anyText = fc.string({ unit: 'binary' });

function markdownOf(report: Report): string {
  return renderMarkdown(runDocument(report));
}

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
  return withoutCode(markdown).map((line) =>
    line.replaceAll(/\\.|&#39;/g, '').replaceAll(/[^|<>`*#[\]]/g, ''),
  );
}

describe('the Markdown summary', () => {
  const markdown = markdownOf(SAMPLE_REPORT);

  test('says verdict, scope, failures, areas, reasons and observations', () => {
    expect(markdown).toMatch(/^# ✗ stockcheck: Not conformant\n/);
    expect(markdown).toContain(`**${SAMPLE_REPORT.scope}**`);
    expect(markdown).toMatch(
      /^### ✗ \*\*limit-under-concurrency\*\* \(must; Limits, Rate limits by plan\)\n\n.*\n\n64 of 90 concurrent requests were accepted/m,
    );
    const independence = SAMPLE_REPORT.requirements.filter(({ area }) => area === 'independence').length;
    expect(markdown).toContain(`| independence | 0 | 0 | 0 | ${independence} | 0 |`);
    expect(markdown).toContain('| No revoked key was given. | 1 | revoked-key |');
    expect(markdown).toContain('| window-algorithm | sliding-log |');
    expect(markdown).toContain("```sh\ncurl -i 'http://127.0.0.1:8080/v1/inventory'");
  });

  test('puts what follows from another failure below it, without evidence of its own', () => {
    const caused = markdownOf(REPORT_WITH_CAUSES);
    expect(caused).toMatch(
      /<summary>1 more failure, probably because of list-succeeds<\/summary>\n\n- ✗ \*\*item-pet-id\*\* \(must; /,
    );
    expect(caused).toContain('\n\nThe list is not a JSON array.\n\n');
    expect(caused).not.toContain('Evidence: item-pet-id');
  });

  test('shows of a client the requests of each scenario that did not pass', () => {
    const client = markdownOf(SAMPLE_CERTIFY_REPORT);
    expect(client).toContain('<summary>All 14 scenarios</summary>');
    expect(client).toContain('| ✓ pass | limited-several | Four 429s in a row | 5 | 16.4 |');
    expect(client).toContain('| 2 | GET /v1/inventory | 0.060 s | 0.063 s | 429 |');
    expect(client).toContain('| 1.980 s |');
    expect(client).toContain('and 10 more requests in report.json');
  });

  test.each(SAMPLES)('has the same structure whatever the %s said', (_subject, sample) => {
    const hostile = markdownOf(hostileOf(sample));
    const plain = markdownOf(hostileOf(sample, 'plain'));
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
