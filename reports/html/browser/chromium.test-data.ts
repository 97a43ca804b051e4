import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';

const PLACES = [
  process.env['CHROMIUM'] ?? '',
  chromium.executablePath(),
  '/usr/bin/chromium',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** The browser that is installed here, or `undefined`: Playwright's own, the system's, or that of $CHROMIUM. */
export const CHROMIUM: string | undefined = PLACES.find((path) => path !== '' && existsSync(path));

const QUIET = ['--disable-gpu', '--disable-background-networking', '--disable-component-update'];

export async function launchChromium(): Promise<Browser> {
  const root = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  return chromium.launch({ executablePath: CHROMIUM ?? '', args: [...QUIET, ...root] });
}

/** Pages on the disk, by name. */
export interface Shelf {
  readonly urls: ReadonlyMap<string, string>;
  readonly remove: () => void;
}

export function writePages(pages: Readonly<Record<string, string>>): Shelf {
  const directory = mkdtempSync(join(tmpdir(), 'stockcheck-pages-'));
  const urls = Object.entries(pages).map(([name, text]) => {
    const path = join(directory, `${name}.html`);
    writeFileSync(path, text);
    return [name, pathToFileURL(path).href] as const;
  });
  return { urls: new Map(urls), remove: () => rmSync(directory, { recursive: true, force: true }) };
}

/** A page that is open, and what happened in it that should not. */
export interface OpenPage {
  readonly page: Page;
  /** Requests besides that for the page, messages on the console, errors, dialogs. */
  readonly incidents: readonly string[];
}

/** Opens an address in a window of its own, which `use` has until it ends. */
export async function withPage<Result>(
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
