import type { Fault, Variant } from '../../reference-server/index.ts';

/** A server to be judged: the variants that it takes, and the fault that it has or none. */
export interface Trial {
  readonly variants: readonly Variant[];
  readonly fault: Fault | null;
}

/** A trial in names, as it goes to a worker. */
export interface TrialNames {
  readonly variants: readonly string[];
  readonly fault: string | null;
}

export function trialNames({ variants, fault }: Trial): TrialNames {
  return { variants: variants.map(({ id }) => id), fault: fault?.id ?? null };
}

/** Whether the variants can stand together, and leave the fault what it needs. */
export function isPossible({ variants, fault }: Trial): boolean {
  const freedoms = variants.map(({ freedom }) => freedom);
  const excluded = fault?.excludes ?? [];
  return (
    new Set(freedoms).size === freedoms.length &&
    !variants.some(({ id, freedom }) => excluded.includes(id) || excluded.includes(freedom))
  );
}
