import { describe, expect, test } from 'vitest';
import { structure } from './structure.test-data.ts';
import { renderHtml } from './render-html.ts';
import { HOSTILE_TEXT, hostileReport, SAMPLE_REPORT } from '../model/sample-report.test-data.ts';

const page = await renderHtml(SAMPLE_REPORT);

describe('the HTML page', () => {
  test('loads nothing and runs nothing', () => {
    expect(page).toContain("default-src 'none'; style-src 'unsafe-inline'");
    expect(page).not.toMatch(/<(?:script|img|link|iframe|object|embed)\b/i);
    expect(page).not.toMatch(/\b(?:src|href)="(?!#)/);
    expect(page).not.toMatch(/url\(|@import/);
  });

  test('says verdict, scope, each requirement, observation and key', () => {
    expect(page).toContain('<html lang="en">');
    expect(page).toContain('<h1>Not conformant</h1>');
    expect(page).toContain(SAMPLE_REPORT.scope);
    for (const { id, outcome } of SAMPLE_REPORT.requirements) {
      expect(page).toContain(`<article class="requirement ${outcome}" id="requirement-${id}">`);
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

  test('links to rows that are there, and uses no id twice', () => {
    const ids = [...page.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
    const targets = [...page.matchAll(/href="#([^"]*)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(targets.filter((target) => !ids.includes(target))).toEqual([]);
    expect(targets.length).toBeGreaterThan(0);
  });

  test('has the same structure whatever the target said', async () => {
    const hostile = await renderHtml(hostileReport());
    expect(structure(hostile)).toEqual(structure(await renderHtml(hostileReport('plain'))));
    expect(hostile).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(hostile).not.toMatch(/[^\P{Cc}\n]/u);
    expect(hostile.isWellFormed()).toBe(true);
  });

  test('cuts what is very long', async () => {
    expect(HOSTILE_TEXT.length).toBeGreaterThan(1_000_000);
    expect((await renderHtml(hostileReport())).length).toBeLessThan(1_000_000);
  });
});
