import type { DescribedTarget } from '../../../contract/target-fields.ts';

/** A target in the shape of `stockcheck.config.json`; petIds are decimal strings. */
export type TargetDescription = Omit<DescribedTarget, 'profile'> & {
  /** `safe`, `standard` or `full`; a string, so that an imported JSON file fits. */
  readonly profile?: string;
};
