import { enumeration } from '../../../contract/words/enumeration.ts';
import { ConfigurationError } from '../../../contract/configuration-error.ts';
import { findFormat, formatIds, type ReportKind } from '../../../reports/formats/index.ts';
import { checkOutputFile } from '../files/option-paths.ts';
import { STDOUT, stdoutClaims, type FormatRequest } from '../output/text-output.ts';
import { list, type OptionRow } from './option-rows.ts';

/** @throws {ConfigurationError} if several reports would go to stdout */
export function refuseRivalsOnStdout(options: Parameters<typeof stdoutClaims>[0]): void {
  const [first, second] = stdoutClaims(options);
  if (first !== undefined && second !== undefined) {
    throw new ConfigurationError(
      `${first} and ${second} exclude each other on stdout: each takes it for itself. Name a file for one of them.`,
    );
  }
}

/** `--format NAME=FILE`, or `--format NAME` for stdout. */
export function formatOption(kind: ReportKind): OptionRow<readonly FormatRequest[]> {
  const names = enumeration(formatIds(kind), 'or');
  return list(
    '<name[=file]>',
    `write the report into this file, or to stdout, as ${names}`,
    (text, named, place) => {
      const [name = '', ...rest] = text.split('=');
      const format = findFormat(kind, name);
      if (format === undefined) {
        throw new ConfigurationError(
          `${named} must be ${names}, with =FILE for a file, not ${JSON.stringify(name)}`,
        );
      }
      const path = rest.length === 0 ? STDOUT : checkOutputFile(rest.join('='), `${named} ${format}`, place);
      return { format, path };
    },
    { isLeftOut: true },
  );
}
