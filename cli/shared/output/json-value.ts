import { ConfigurationError } from '../../../contract/configuration-error.ts';
import { messageOf } from '../../../contract/error-text.ts';
import { writeReportText } from '../../../reports/index.ts';
import { STDOUT } from './text-output.ts';

/** Prints a list in words on stdout, or writes it as JSON where `--json` says. */
export async function printList(json: string | null, words: string, value: object): Promise<void> {
  if (json === null) {
    process.stdout.write(words);
  } else {
    await writeJsonValue(json, value);
  }
}

/**
 * Writes what is no report of a run as JSON.
 * @param path of `--json`: a file, or `-` for stdout
 * @throws {ConfigurationError} if it cannot be written
 */
export async function writeJsonValue(path: string, value: object): Promise<void> {
  const text = `${JSON.stringify(value, null, 2)}\n`;
  if (path === STDOUT) {
    process.stdout.write(text);
    return;
  }
  try {
    await writeReportText(path, text);
  } catch (error) {
    throw new ConfigurationError(`--json ${path}: ${messageOf(error)}`, { cause: error });
  }
}
