import type { Key } from '../../oracle/index.ts';

/** How a request presents itself. */
export type Credentials =
  | { readonly key: Key }
  /** Authorization fields as they go out, and a label for each that may be shown. */
  | {
      readonly authorization: readonly string[];
      readonly labels: readonly string[];
      /** The key that the target may take it for, and count it on. */
      readonly spends?: Key;
    };
