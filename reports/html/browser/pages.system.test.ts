import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import axe, { type AxeResults } from 'axe-core';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { layOut } from '../../model/report-matrix.ts';
import type { Report } from '../../model/report.ts';
import { SAMPLE_CERTIFY_REPORT } from '../../model/sample-certify-report.test-data.ts';
import { SAMPLE_KILL_MATRIX } from '../../model/sample-kill-matrix.test-data.ts';
import { SAMPLE_LOAD_REPORT } from '../../model/sample-load-report.test-data.ts';
import {
  hostileOf,
  REPORT_WITH_CAUSES,
  SAMPLE_REPORT,
  withRequirements,
} from '../../model/sample-report.test-data.ts';
import { SAMPLE_STORM } from '../../model/sample-storm.test-data.ts';
import { matrixDocument } from '../../document/comparison.ts';
import { killMatrixDocument } from '../../document/kill-matrix.ts';
import { runDocument } from '../../document/run.ts';
import { stormDocument } from '../../document/storm.ts';
import { renderPage } from '../page.ts';

const PLACES = [
  process.env['CHROMIUM'] ?? '',
  chromium.executablePath(),
  '/usr/bin/chromium',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** The browser that is installed here, or `undefined`: Playwright's own, the system's, or that of $CHROMIUM. */
const CHROMIUM: string | undefined = PLACES.find((path) => path !== '' && existsSync(path));

const QUIET = ['--disable-gpu', '--disable-background-networking', '--disable-component-update'];

const SAMPLE = someRequirements(SAMPLE_REPORT);
const COMPARED = [SAMPLE_REPORT, REPORT_WITH_CAUSES].map((report, index) => ({
  name: ['stable', 'next'][index] ?? '',
  report: someRequirements(report),
}));
const KINDS = ['verify', 'certify', 'load', 'comparison', 'kill', 'storm'] as const;
const DESKTOP = { width: 1280, height: 900 };
const PHONE = { width: 390, height: 844 };

let browser: Browser;
let shelf: Shelf;

describe.skipIf(CHROMIUM === undefined)('in Chromium', () => {
  beforeAll(async () => {
    shelf = writePages({
      verify: await renderPage(runDocument(SAMPLE)),
      certify: await renderPage(runDocument(someRequirements(SAMPLE_CERTIFY_REPORT))),
      load: await renderPage(runDocument(someRequirements(SAMPLE_LOAD_REPORT))),
      comparison: await renderPage(matrixDocument(layOut('verify', COMPARED), COMPARED)),
      kill: await renderPage(killMatrixDocument(SAMPLE_KILL_MATRIX)),
      storm: await renderPage(stormDocument(SAMPLE_STORM)),
      hostile: await renderPage(runDocument(hostileOf(SAMPLE_REPORT))),
    });
    browser = await launchChromium();
  });

  afterAll(async () => {
    await browser.close();
    shelf.remove();
  });

  // What a page holds is the same in all colours, and colours take axe the longest.
  test.each([
    ['verify', 'light', []],
    ['verify', 'dark', ['color-contrast']],
    ['certify', 'dark', []],
    ['load', 'light', []],
    ['comparison', 'dark', []],
    ['kill', 'light', []],
    ['storm', 'dark', []],
  ] as const)('the page of a %s report can be read by all, %s', async (kind, colorScheme, rules) => {
    const seen = await open(kind, { colorScheme }, async ({ page, incidents }) => ({
      violations: await violationsOf(page, rules),
      incidents,
    }));
    expect(seen).toEqual({ violations: [], incidents: [] });
  });

  test('each page fits a phone', async () => {
    for (const kind of KINDS) {
      const widths = await open(kind, { viewport: PHONE }, ({ page }) =>
        page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]),
      );
      expect({ kind, widths }).toEqual({ kind, widths: [PHONE.width, PHONE.width] });
    }
  });

  test('what a target said is shown, and neither run nor loaded', async () => {
    const seen = await open('hostile', {}, async ({ page, incidents }) => ({
      scripts: await page.locator('script').count(),
      images: await page.locator('img').count(),
      isShown: (await page.locator('.finding').first().textContent())?.includes('<script>alert(1)</script>'),
      incidents,
    }));
    expect(seen).toEqual({ scripts: 1, images: 0, isShown: true, incidents: [] });
  });

  test('the policy of a page keeps a script out that somebody puts into it', async () => {
    const [ran, incidents] = await open('verify', {}, async ({ page, incidents }) => {
      const ran = await page.evaluate(() => {
        const script = document.createElement('script');
        script.append('document.title = "run"');
        document.body.append(script);
        return document.title === 'run';
      });
      return [ran, incidents] as const;
    });
    expect(ran).toBe(false);
    expect(incidents.join('\n')).toMatch(/Content Security Policy|TrustedScript/);
  });

  test('search and filters show what they name, say how much that is, and survive in the address', async () => {
    await open('verify', {}, async ({ page }) => {
      await page.locator('label[for="show-fail"]').click();
      await page.locator('label[for="level-must"]').click();
      await page.getByRole('searchbox').fill('9007199254740992');
      await page.waitForFunction(() => location.hash.includes('q='));
      const expected = ['requirement-item-pet-id', 'requirement-update-exact-pet'];
      expect(await shownRequirements(page)).toEqual(expected);
      expect(await page.locator('#found').textContent()).toMatch(/^2 of \d+ requirements, 2 findings$/);
      await page.keyboard.press('Enter');
      expect(await page.locator('#requirement-item-pet-id .finding:focus-within mark').textContent()).toBe(
        '"petId":9007199254740992',
      );

      await page.reload();
      expect(await shownRequirements(page)).toEqual(expected);
      expect(page.url()).toContain('#?show=fail&level=must&q=9007199254740992');

      // A link to what is hidden shows it.
      await page.locator('a[href="#requirement-revoked-key"]').first().click();
      await page.waitForFunction(() => !location.hash.includes('show='));
      expect(await page.locator('#requirement-revoked-key').isVisible()).toBe(true);
      expect(await page.locator('#found').textContent()).toMatch(/^\d+ requirements/);
    });
  });

  test('a search for words that nothing holds says so, and Show all ends it', async () => {
    await open('verify', {}, async ({ page }) => {
      await page.getByRole('searchbox').fill('no such words');
      const all = page.getByRole('button', { name: 'Show all' });
      await all.waitFor();
      await page
        .locator('#found')
        .filter({ hasText: /^none of \d+ requirements$/ })
        .waitFor();
      await all.click();
      expect(await page.locator('.requirement:visible').count()).toBe(SAMPLE.requirements.length);
      expect(page.url()).not.toContain('#');
    });
  });

  test('what a button copies is what is shown, to the last digit', async () => {
    await open('verify', { permissions: ['clipboard-read', 'clipboard-write'] }, async ({ page }) => {
      const finding = page.locator('#requirement-item-pet-id .finding').first();
      await finding.getByRole('button', { name: 'Copy the body of the response' }).click();
      await finding.getByText('Copied').waitFor();
      expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
        '{"petId":9007199254740992,"quantity":7,"status":"available"}',
      );
      expect(await finding.locator('mark').allTextContents()).toEqual(['"petId":9007199254740992']);
      await finding.getByRole('button', { name: 'Copy the command' }).first().click();
      await finding.getByText('Copied').last().waitFor();
      expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
        'npx stockcheck replay report.json item-pet-id-1',
      );
    });
  });

  test('without a script the page is whole', async () => {
    const seen = await open('verify', { javaScriptEnabled: false }, async ({ page }) => {
      await page.locator('label[for="show-fail"]').click();
      const shown = await page.locator('.requirement:visible').count();
      return { shown, search: await page.getByRole('searchbox').isVisible() };
    });
    const failed = SAMPLE.requirements.filter(({ outcome }) => outcome === 'fail');
    expect(seen).toEqual({ shown: failed.length, search: false });
  });

  test('on paper, what is folded is unfolded, and nothing is there to press', async () => {
    await open('verify', {}, async ({ page }) => {
      await page.emulateMedia({ media: 'print' });
      expect(await page.locator('.choice').isVisible()).toBe(false);
      expect(await page.locator('button:visible').count()).toBe(0);
      expect(await page.locator('.finding:not([open]) pre').first().isVisible()).toBe(true);
    });
  });

  test('faults are found by what they break', async () => {
    await open('kill', {}, async ({ page }) => {
      await page.getByRole('searchbox').fill('content-type-json');
      await page.locator('#found').getByText('1 of 2 faults', { exact: true }).waitFor();
      expect(await page.locator('tr.entry:visible th').allTextContents()).toEqual([
        expect.stringContaining('list-as-text'),
      ]);
    });
  });

  test('what differs leads to what was seen, and what was skipped to the reason', async () => {
    await open('comparison', {}, async ({ page }) => {
      await page.locator('a[href="#finding-1-list-succeeds"]').click();
      expect(await page.locator('#finding-1-list-succeeds').isVisible()).toBe(true);
      expect(await page.locator('#finding-0-revoked-key').isVisible()).toBe(false);
      await page.locator('a[href="#finding-0-revoked-key"]').click();
      expect(await page.locator('#finding-0-revoked-key').isVisible()).toBe(true);
    });
  });
});

async function launchChromium(): Promise<Browser> {
  const root = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  return chromium.launch({ executablePath: CHROMIUM ?? '', args: [...QUIET, ...root] });
}

/** Pages on the disk, by name. */
interface Shelf {
  readonly urls: ReadonlyMap<string, string>;
  readonly remove: () => void;
}

function writePages(pages: Readonly<Record<string, string>>): Shelf {
  const directory = mkdtempSync(join(tmpdir(), 'stockcheck-pages-'));
  const urls = Object.entries(pages).map(([name, text]) => {
    const path = join(directory, `${name}.html`);
    writeFileSync(path, text);
    return [name, pathToFileURL(path).href] as const;
  });
  return { urls: new Map(urls), remove: () => rmSync(directory, { recursive: true, force: true }) };
}

/** A page that is open, and what happened in it that should not. */
interface OpenPage {
  readonly page: Page;
  /** Requests besides that for the page, messages on the console, errors, dialogs. */
  readonly incidents: readonly string[];
}

/** Opens an address in a window of its own, which `use` has until it ends. */
async function withPage<Result>(
  browser: Browser,
  address: string,
  options: BrowserContextOptions,
  use: (open: OpenPage) => Promise<Result>,
): Promise<Result> {
  const context = await browser.newContext(options);
  try {
    const page = await context.newPage();
    const incidents: string[] = [];
    page.on('request', (request) => {
      if (!request.isNavigationRequest()) {
        incidents.push(`request: ${request.url()}`);
      }
    });
    page.on('console', (message) => incidents.push(`console: ${message.text()}`));
    page.on('pageerror', ({ message }) => incidents.push(`error: ${message}`));
    page.on('dialog', (dialog) => {
      incidents.push(`dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    await page.goto(address);
    return await use({ page, incidents });
  } finally {
    await context.close();
  }
}

function open<Result>(
  name: string,
  options: BrowserContextOptions,
  use: (open: OpenPage) => Promise<Result>,
): Promise<Result> {
  return withPage(browser, shelf.urls.get(name) ?? '', { viewport: DESKTOP, ...options }, use);
}

function shownRequirements(page: Page): Promise<readonly string[]> {
  return page.locator('.requirement:visible').evaluateAll((found) => found.map(({ id }) => id));
}

/** What is special in the report, and some of the rest. */
function someRequirements<Kind extends Report>(report: Kind): Kind {
  const special = new Set(['revoked-key', 'limit-renews']);
  return withRequirements(
    report,
    report.requirements.filter(
      ({ id, outcome }, index) => outcome === 'fail' || special.has(id) || index % 8 === 0,
    ),
  );
}

/**
 * What axe says of the page, with all of it unfolded: each rule with the places where it is broken.
 * @param rules all of them if there is none
 */
async function violationsOf(page: Page, rules: readonly string[]): Promise<readonly string[]> {
  await page.locator('details:is(.finding, .rest, .checks, .shown, .followers)').evaluateAll((all) => {
    for (const one of all) {
      one.setAttribute('open', '');
    }
  });
  // The drawings are large, have a name and a description, and no text that stands alone.
  await page.locator('svg > :not(title, desc)').evaluateAll((all) => {
    for (const one of all) {
      one.remove();
    }
  });
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate<AxeResults>(
    `axe.run(${JSON.stringify(rules.length === 0 ? {} : { runOnly: rules })})`,
  );
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(' ')}`);
}
