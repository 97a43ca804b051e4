/** What is used of `@stryker-mutator/instrumenter`, whose own types do not compile with ours. */

interface InstrumentedFile {
  readonly name: string;
  readonly content: string;
  /** Whether it gets mutants. */
  readonly mutate: boolean;
}

interface Position {
  readonly line: number;
  readonly column: number;
}

export class Instrumenter {
  constructor(logger: Readonly<Record<string, () => boolean | void>>);

  readonly instrument: (
    files: readonly InstrumentedFile[],
    options: {
      readonly excludedMutations: readonly string[];
      readonly ignorers: readonly never[];
      readonly plugins: null;
    },
  ) => Promise<{
    readonly files: readonly InstrumentedFile[];
    readonly mutants: readonly {
      readonly id: string;
      readonly fileName: string;
      readonly mutatorName: string;
      readonly replacement: string;
      /** Lines and columns from 0. */
      readonly location: { readonly start: Position; readonly end: Position };
    }[];
  }>;
}
