/**
 * The part of Playwright's test runner that is used here, in place of the library's own types (`paths` in
 * tsconfig.base.json), which need those of a browser.
 */
interface TestInfo {
  readonly project: { readonly outputDir: string };
  readonly annotations: { type: string; description?: string }[];
}

interface TestType {
  (title: string, body: () => Promise<void>): void;
  readonly describe: ((title: string, body: () => void) => void) & {
    /** Of the tests in this group; `timeout` in milliseconds. */
    configure(options: { readonly mode: 'default'; readonly timeout: number }): void;
  };
  afterAll(body: () => Promise<void>): void;
  /** Ends the test. */
  skip(condition: true, reason: string): void;
  info(): TestInfo;
}

export const test: TestType;
