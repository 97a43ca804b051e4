/** How a CI server counts a case; all texts are printable. */
export type TestResult =
  | {
      readonly status: 'failure' | 'error';
      readonly message: string;
      /** What kind of failure it is. */
      readonly type: string;
      readonly text: string;
    }
  | { readonly status: 'skipped'; readonly message: string; readonly text: string }
  | { readonly status: 'passed'; readonly text: string };

export interface TestCase {
  readonly name: string;
  readonly seconds: number;
  readonly result: TestResult;
}

export interface TestSuite {
  readonly name: string;
  readonly cases: readonly TestCase[];
}
