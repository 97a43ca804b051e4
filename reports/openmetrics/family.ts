import type { Family } from './text.ts';

/** Every name begins with it. */
export const PREFIX = 'stockcheck_load';

/** A family of this report without its samples; `name` is what follows `stockcheck_load_`. */
export function family(
  name: string,
  type: Family['type'],
  help: string,
  unit: Family['unit'] = '',
): Omit<Family, 'samples'> {
  return { name: name === '' ? PREFIX : `${PREFIX}_${name}`, type, unit, help };
}
