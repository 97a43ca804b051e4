import { resolve } from 'node:path';

import { isJsonObject } from '../../contract/json/index.ts';
import { ConfigurationError } from '../../contract/configuration-error.ts';
import { baselineOf, type Baseline, type BaselineReader } from '../library/baseline.ts';
import { readJsonFile } from '../shared/files/json-file.ts';
import type { OptionRow } from '../shared/options/option-rows.ts';

/**
 * The failures that are expected, of a file with `{"expectedFailures": {"requirement-id": "reason", …}}` and nothing else; none
 * if no file is named.
 */
export function baselineOption(help: string, read: BaselineReader): OptionRow<Baseline> {
  return {
    placeholder: '<file>',
    help,
    read: ([path], _named, { directory }) => {
      if (path === undefined) {
        return new Map();
      }
      const named = `--baseline ${path}`;
      const value = readJsonFile(resolve(directory, path), named);
      const expected = isJsonObject(value) ? value['expectedFailures'] : undefined;
      if (!isJsonObject(value) || !isJsonObject(expected) || Object.keys(value).length > 1) {
        throw new ConfigurationError(
          `${named} has to hold {"expectedFailures": {"requirement-id": "reason"}} and nothing else.`,
        );
      }
      return read(expected, named);
    },
  };
}

/** Those of a target. */
export const BASELINE_OPTION = baselineOption('failures that are expected', baselineOf);
