/** A target in the shape of `stockcheck.config.json`; petIds are decimal strings. */
export interface TargetDescription {
  readonly target: string;
  readonly keys?: {
    readonly free?: DescribedKeys;
    readonly pro?: DescribedKeys;
    readonly business?: DescribedKeys;
    readonly enterprise?: DescribedKeys;
  };
  readonly revokedKeys?: readonly string[];
  readonly control?: string;
  readonly pets?: { readonly existing?: readonly string[]; readonly missing?: string };
  /** `safe`, `standard` or `full`; a string, so that an imported JSON file fits. */
  readonly profile?: string;
}

type DescribedKeys = readonly (
  | string
  | { readonly key: string; readonly perMinute: number; readonly perDay: number }
)[];
