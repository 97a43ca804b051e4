import { resolve } from 'node:path';

import {
  LATEST_SET,
  readRequirementSet,
  REQUIREMENT_SETS,
  type RequirementSet,
} from '../../../contract/requirements/index.ts';
import {
  TARGET_FIELDS,
  TARGET_SETTINGS,
  type FieldOption,
  type TargetSetting,
} from '../../../contract/target-fields.ts';
import { enumeration } from '../../../contract/words/enumeration.ts';
import { findFormat, folderFormatNames, formatIds, type ReportKind } from '../../../reports/formats/index.ts';
import type { TransportOptions } from '../../../suites/target/index.ts';
import {
  checkOutputDirectory,
  checkOutputFile,
  isReplaced,
  readCertificates,
} from '../files/option-paths.ts';
import { ConfigurationError } from '../../../contract/configuration-error.ts';
import {
  outputsOf,
  STDOUT,
  stdoutClaims,
  type FormatRequest,
  type OutputOptions,
} from '../output/text-output.ts';
import {
  flag,
  list,
  optional,
  withDefault,
  type OptionRow,
  type OptionText,
  type OptionValues,
  type Surroundings,
} from './option-rows.ts';
import { oneOf, parseHeader, secondsWithin } from './values.ts';

// Options that mean the same in several commands.

/** Help of the argument TARGET. */
export const TARGET_HELP = TARGET_FIELDS.target.help;

const LISTS: ReadonlySet<string> = new Set(['plan keys', 'revoked keys', 'pets']);

/** The options that give fields of the configuration, by their names. */
const FIELD_OPTIONS: ReadonlyMap<string, OptionText> = new Map(
  TARGET_SETTINGS.flatMap(({ field }) => (field.option === undefined ? [] : [[field.option, textOf(field)]])),
);

function textOf({ kind, placeholder = '', help = '' }: TargetSetting['field']): OptionText {
  return {
    placeholder: `<${placeholder}>`,
    help,
    isRepeatable: LISTS.has(kind),
    ...(kind === 'plan keys' ? { secret: 'key' } : kind === 'revoked keys' ? { secret: 'revoked key' } : {}),
  };
}

/** The options of these fields of the configuration. */
export function fieldOptions<Name extends FieldOption>(
  ...names: readonly Name[]
): { readonly [Given in Name]: OptionText };
export function fieldOptions(...names: readonly string[]): object {
  return Object.fromEntries(names.map((name) => [name, FIELD_OPTIONS.get(name)]));
}

/** Which target a run is for, if no argument names it. */
export const TARGET_OPTIONS = {
  self: { help: 'take the embedded reference server, in place of TARGET' },
  config: {
    placeholder: '<file>',
    help: 'configuration (default: stockcheck.config.json, if there is one)',
  },
} satisfies Readonly<Record<string, OptionText>>;

/** How a target is spoken to. */
export const CONNECTION_OPTIONS = {
  insecure: flag('accept any TLS certificate'),
  ca: optional('<file>', 'trust the certificates of this PEM file', readCertificates),
  header: list('<name: value>', 'header field to add to every request', parseHeader, { secret: 'header' }),
  /** In seconds. */
  timeout: withDefault(
    '<seconds>',
    'longest wait for a response; three times as long while its body goes on',
    '10',
    secondsWithin(0.1, 600),
  ),
};

/** How a run talks to its target, by these options. */
export function transportOf({
  timeout,
  insecure,
  ca,
}: Omit<OptionValues<typeof CONNECTION_OPTIONS>, 'header'>): TransportOptions {
  return { timeoutMilliseconds: timeout * 1000, insecure, certificateAuthority: ca };
}

const MUST_OR_SHOULD = ['must', 'should'] as const;

/** @param decided what the level decides */
export function levelOption(decided = 'what decides the verdict'): OptionRow<'must' | 'should'> {
  return withDefault('<level>', `${decided}: must or should`, 'must', oneOf(MUST_OR_SHOULD));
}

/** What decides, by the version of the register. */
export function requirementsOption(): OptionRow<RequirementSet> {
  return withDefault(
    '<set>',
    `set of requirements that decides: ${REQUIREMENT_SETS.join(' or ')}; what is newer is shown, unscored`,
    LATEST_SET,
    (text, named) => readRequirementSet(named, text),
  );
}

/** Where a report goes, and what is shown meanwhile. */
export function outputOptions(kind: ReportKind) {
  return {
    json: optional(
      '<file>',
      'write the report as JSON; - for stdout, and nothing else goes there',
      checkOutputFile,
    ),
    format: formatOption(kind),
    events: optional(
      '<file>',
      'write what happens as it happens, a JSON object in each line; - for stdout',
      checkOutputFile,
    ),
    summary: flag('print the verdict in one line made for logs'),
    ...reportOptions(kind),
  };
}

/** What happened, as a file that can be judged again. */
export const HISTORY_OPTION = {
  history: optional(
    '<file>',
    'write all that happened, a JSON object in each line, with pseudonyms in place of keys; packed if it ends in .gz',
    readHistoryPath,
  ),
};

/** @throws {ConfigurationError} if nothing is sent that a history could tell */
export function refuseHistoryOfNothing({
  dryRun,
  history,
}: {
  readonly dryRun: boolean;
  readonly history: string | null;
}): void {
  if (dryRun && history !== null) {
    throw new ConfigurationError('--history has no meaning with --dry-run, which sends nothing');
  }
}

/** @throws {ConfigurationError} if no file can be written there */
function readHistoryPath(path: string, option: string, place: Surroundings): string {
  if (path === STDOUT) {
    throw new ConfigurationError(
      `${option} takes a file: a whole history is too much for a terminal, and --events - shows what happens as it happens`,
    );
  }
  return checkOutputFile(path, option, place);
}

/** The reports whose findings can be sent again. */
const HAS_SCRIPTS: ReadonlySet<ReportKind> = new Set<ReportKind>(['verify', 'load']);

/** The same without `--json`. */
export function reportOptions(kind: ReportKind) {
  return {
    report: optional(
      '<dir>',
      `write the report into this folder as ${folderFormatNames(kind)}${HAS_SCRIPTS.has(kind) ? ', with a script of each finding' : ''}`,
      checkOutputDirectory,
    ),
    quiet: flag('no progress on stderr'),
  };
}

/** `--format NAME=FILE`, or `--format NAME` for stdout. */
function formatOption(kind: ReportKind): OptionRow<readonly FormatRequest[]> {
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
  );
}

/** The same options. @throws {ConfigurationError} if several reports would go to stdout, or into one file */
export function forOneReport<Given extends OutputOptions>(given: Given): Given {
  const [first, second] = stdoutClaims(given);
  if (first !== undefined && second !== undefined) {
    throw new ConfigurationError(
      `${first} and ${second} exclude each other on stdout: each takes it for itself. Name a file for one of them.`,
    );
  }
  refuseSharedFiles(given);
  return given;
}

/** @throws {ConfigurationError} if the last one written would replace another */
function refuseSharedFiles(given: OutputOptions): void {
  const taken = new Map<string, string>();
  // Whatever else is there, such as a pipe, takes one after the other.
  for (const { option, path } of outputsOf(given).filter((one) => isReplaced(one.path))) {
    const other = taken.get(resolve(path));
    if (other !== undefined) {
      throw new ConfigurationError(
        `${other} and ${option} would both write ${path}: name another file for one of them`,
      );
    }
    taken.set(resolve(path), option);
  }
}
