import { AREAS, REQUIREMENT_SETS, REQUIREMENTS } from '../../contract/requirements/index.ts';
import { PROFILES } from '../../contract/verdict.ts';

type Words = () => Promise<readonly string[]>;

const ids = (entries: readonly { readonly id: string }[]): readonly string[] => entries.map(({ id }) => id);

const requirements: Words = async () => [...ids(REQUIREMENTS), ...AREAS];
const formatsOf =
  (kind: 'verify' | 'certify' | 'load'): Words =>
  async () =>
    (await import('../../reports/formats/index.ts')).formatIds(kind);
const faults: Words = async () => ids((await import('../../reference-server/index.ts')).FAULTS);
const variants: Words = async () => ids((await import('../../reference-server/index.ts')).VARIANTS);

/** The words that an option or an operand takes: in any command, or, with its name, in one. */
const WORDS: Readonly<Record<string, Words>> = {
  '--profile': async () => PROFILES,
  '--level': async () => ['must', 'should'],
  '--requirements': async () => REQUIREMENT_SETS,
  '--driver': async () => (await import('../library/certify/client-driver.ts')).DRIVERS,
  '--fault': faults,
  '--variant': variants,
  '--pipeline': async () => (await import('../init/pipelines/index.ts')).PIPELINE_CHOICES,
  'verify --only': requirements,
  'certify --only': async () => ids((await import('../../suites/certify/index.ts')).SCENARIOS),
  'verify --format': formatsOf('verify'),
  'watch --format': formatsOf('verify'),
  'certify --format': formatsOf('certify'),
  'load --format': formatsOf('load'),
  'load --scenario': async () => ids((await import('../../load/index.ts')).LOAD_SCENARIOS),
  'explain ID': requirements,
  'completion SHELL': async () => SHELLS,
};

/** The options and operands that have words, as `--option`, `command --option` or `command OPERAND`. */
export const COMPLETED_WORDS: readonly string[] = Object.keys(WORDS);

/** The shells that a script can be made for. */
export const SHELLS = ['bash', 'zsh', 'fish'] as const;

/**
 * The words that an option or operand of a command takes, but for those that a shell would have to quote; `undefined` if
 * nobody can know them.
 */
export async function wordsFor(command: string, named: string): Promise<readonly string[] | undefined> {
  const words = await (WORDS[`${command} ${named}`] ?? WORDS[named])?.();
  return words?.filter((word) => /^[\w.=-]+$/.test(word));
}
