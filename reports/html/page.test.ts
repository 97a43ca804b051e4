import { describe, expect, test } from 'vitest';
import { attributeValues, structure } from './structure.test-data.ts';
import { matrixDocument } from '../document/comparison.ts';
import type { Document } from '../document/document.ts';
import { killMatrixDocument } from '../document/kill-matrix.ts';
import { runDocument } from '../document/run.ts';
import { stormDocument } from '../document/storm.ts';
import { renderPage } from './page.ts';
import { layOut } from '../model/report-matrix.ts';
import { SAMPLE_KILL_MATRIX } from '../model/sample-kill-matrix.test-data.ts';
import { SAMPLE_STORM } from '../model/sample-storm.test-data.ts';
import {
  HOSTILE_TEXT,
  hostileOf,
  REPORT_WITH_CAUSES,
  SAMPLE_REPORT,
} from '../model/sample-report.test-data.ts';
import { SAMPLES } from '../model/sample-load-report.test-data.ts';

/** A chart has as many labels on its axes as their widths leave room for. */
function withoutTexts(markup: string): string {
  return markup.replaceAll(/<text[^>]*>[^<]*<\/text>/g, '');
}

const COMPARED = [
  { name: 'stable', report: SAMPLE_REPORT },
  { name: 'next', report: REPORT_WITH_CAUSES },
];

const DOCUMENTS: readonly (readonly [subject: string, shown: Document])[] = [
  ...SAMPLES.map(([subject, sample]) => [`a ${subject}`, runDocument(sample)] as const),
  ['reports side by side', matrixDocument(layOut('verify', COMPARED), COMPARED)],
  ['the kill matrix', killMatrixDocument(SAMPLE_KILL_MATRIX)],
  ['a storm', stormDocument(SAMPLE_STORM)],
];

describe.each(DOCUMENTS)('the HTML page on %s', async (_subject, shown) => {
  const page = await renderPage(shown);

  test('loads nothing, and runs nothing but its own script', () => {
    const [policy = ''] = /default-src [^"]*/.exec(page) ?? [];
    expect(policy).toContain('default-src &#39;none&#39;; script-src &#39;sha256-');
    expect(policy).not.toMatch(/https?:|data:|\*|eval|script-src[^;]*unsafe/);
    expect(page.split(/<script\b/)).toHaveLength(2);
    expect(page).not.toMatch(/<(?:img|link|iframe|object|embed|use|image|foreignObject)\b/i);
    expect(page).not.toMatch(/\bsrc="(?!#)|\bhref="(?!#|findings\/)/);
    expect(page).not.toMatch(/url\((?!#)|@import/);
  });

  test('links to what is there, and uses no id twice', () => {
    const ids = attributeValues(page, 'id');
    const targets = attributeValues(page, 'href')
      .filter((href) => href?.startsWith('#'))
      .map((href) => href?.slice(1));
    const described = ['aria-labelledby', 'aria-describedby'].flatMap((name) =>
      attributeValues(page, name).flatMap((value) => value?.split(' ')),
    );
    const clipped = [...page.matchAll(/url\(#([^)]*)\)/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect([...targets, ...described, ...clipped].filter((target) => !ids.includes(target))).toEqual([]);
    expect(targets.length).toBeGreaterThan(0);
  });

  test('is the same for equal input', async () => {
    expect(await renderPage(shown)).toBe(page);
  });
});

function besideHostile(text?: string): Document {
  const reports = [
    { name: 'a', report: SAMPLE_REPORT },
    { name: 'b', report: hostileOf(SAMPLE_REPORT, text) },
  ];
  return matrixDocument({ ...layOut('verify', reports), observations: [] }, reports);
}

const HOSTILE: readonly (readonly [subject: string, document: (text?: string) => Document])[] = [
  ...SAMPLES.map(
    ([subject, sample]) => [`a ${subject}`, (text?: string) => runDocument(hostileOf(sample, text))] as const,
  ),
  ['reports side by side', besideHostile],
];

test.each(HOSTILE)(
  'the HTML page on %s has the same structure whatever a target said, and cuts what is very long',
  async (subject, document) => {
    const hostile = await renderPage(document());
    expect(structure(withoutTexts(hostile))).toEqual(
      structure(withoutTexts(await renderPage(document('plain')))),
    );
    expect(hostile).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(hostile).not.toMatch(/[^\P{Cc}\n]/u);
    expect(hostile.isWellFormed()).toBe(true);
    expect(HOSTILE_TEXT.length).toBeGreaterThan(1_000_000);
    expect(hostile.length).toBeLessThan(subject === 'a target' ? 1_000_000 : 1_500_000);
  },
);

test('the HTML page says verdict, scope, each requirement, observation and key', async () => {
  const page = await renderPage(runDocument(SAMPLE_REPORT));
  expect(page).toContain('<html lang="en">');
  expect(page).toContain('<h1>Not conformant</h1>');
  expect(page).toContain(SAMPLE_REPORT.scope);
  for (const { id, level, outcome } of SAMPLE_REPORT.requirements) {
    expect(page).toContain(`<article class="requirement ${outcome} ${level}" id="requirement-${id}">`);
  }
  for (const name of Object.keys(SAMPLE_REPORT.observations)) {
    expect(page).toContain(`<code>${name}</code>`);
  }
  expect(page).toContain('No key of the plan Business was given.');
  expect(page).toContain('could not be restored');
  expect(page).toContain('free#2');
  expect(page).toContain('&quot;petId&quot;:9007199254740992');
  expect(page).toContain('fail (expected)');
});

test('the HTML page folds what follows from another failure under it, and says so at its row', async () => {
  const page = await renderPage(runDocument(REPORT_WITH_CAUSES));
  const [, folded = ''] = page.split('<details class="followers">');
  expect(folded.replaceAll(/\s*(<[^>]*>)\s*/g, '$1')).toMatch(
    /^<summary>1 more failure, probably because of<code>list-succeeds<\/code><\/summary><ul class="seen"><li class="fail" ?><p><b><a href="#requirement-item-pet-id">/,
  );
  expect(page).toContain('Probably follows from <a href="#requirement-list-succeeds">');
});
