import { hyphenated } from '../../contract/words/enumeration.ts';

/** How an option is written, such as `--ramp-up` for `rampUp`. */
export function optionName(name: string): string {
  return `--${hyphenated(name)}`;
}
