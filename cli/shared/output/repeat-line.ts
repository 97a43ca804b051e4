import { PLANS, type Plan } from '../../../contract/plans.ts';
import { requirement, type RequirementId } from '../../../contract/requirements/index.ts';
import { shellWord } from '../../../reports/index.ts';
import { CHECKS, EXPLORE, nameOfCheck, type ExplorationOrder } from '../../../suites/verify/index.ts';
import { parseHeader } from '../options/headers.ts';
import { parseKeyList } from '../options/keys.ts';
import { optionName, textsOf, type Flags, type OptionText, type Secret } from '../options/option-rows.ts';
import { splitList } from '../options/values.ts';

/** How a run is started again for one finding; in words for a POSIX shell that hold no secret. */
export interface Repetition {
  /** The command with its target and the options that decide what is sent and seen. */
  readonly command: string;
  /** Options of curl that reach the target in the same way. */
  readonly curlOptions: readonly string[];
}

/** The check that begins as the run does: with one request for the list. */
export const FIRST_CHECK = 'list';

/** The command line as it was given, with a variable in place of each secret. */
export function readRepetition(
  command: string,
  target: string | undefined,
  rows: Readonly<Record<string, OptionText>>,
  flags: Flags<string>,
): Repetition {
  const given = Object.entries(rows).flatMap(([name, row]) =>
    row.isLeftOut === true ? [] : wordsOf(row, optionName(name), textsOf(flags[name])),
  );
  const words = [
    'npx',
    'stockcheck',
    command,
    ...(target === undefined ? [] : [shellWord(target)]),
    ...given,
  ];
  return { command: words.join(' '), curlOptions: curlOptionsOf(flags) };
}

/**
 * A line that runs a check again, and judges a requirement that it showed to be violated.
 * @param check that sent what showed it, or `null` for every check that may show it
 */
export function repeatLine(
  { command }: Repetition,
  id: RequirementId,
  check: string | null,
  decides: 'must' | 'should',
): string {
  const sender = CHECKS.find(({ id: name }) => name === check);
  const only =
    sender === undefined ? [id] : [nameOfCheck(sender), ...(sender.judges.includes(id) ? [] : [id])];
  const level = levelWords(id, decides);
  return `${command}${only.map((name) => ` --only ${name}`).join('')}${level}`;
}

/** A line that explores again with the same seed, and judges what was found. */
export function explorationLine(
  { command }: Repetition,
  id: RequirementId,
  { requests, seed }: ExplorationOrder,
  decides: 'must' | 'should',
): string {
  const level = levelWords(id, decides);
  return `${command} --explore ${requests} --seed ${seed} --only ${EXPLORE}${level}`;
}

/** Another level of the run has its own option there already. */
function levelWords(id: RequirementId, decides: 'must' | 'should'): string {
  return requirement(id).level === 'should' && decides === 'must' ? ' --level should' : '';
}

/** A line that plays a scenario of `certify` again. @param client the program and its arguments, if one was started */
export function scenarioLine({ command }: Repetition, scenario: string, client: readonly string[]): string {
  const program = client.length === 0 ? '' : ` -- ${client.map(shellWord).join(' ')}`;
  return `${command} --only ${scenario}${program}`;
}

function wordsOf(
  { placeholder, secret }: OptionText,
  option: string,
  texts: readonly string[],
): readonly string[] {
  if (placeholder === undefined) {
    return texts.map(() => option);
  }
  return valueWords(secret, texts).flatMap((word) => [option, word]);
}

function valueWords(secret: Secret | undefined, texts: readonly string[]): readonly string[] {
  switch (secret) {
    case 'key':
      return keyWords(texts);
    case 'revoked key':
      return texts
        .flatMap(splitList)
        .map((_, index) => variable('', `KEY_REVOKED_${index + 1}`, 'the revoked key'));
    case 'header':
      return texts.map(headerWord);
    case 'variable':
      return texts.map(environmentWord);
    case undefined:
      return texts.map(shellWord);
  }
}

/** One word for each `--key`, whose keys are numbered by plan as their labels are. */
function keyWords(values: readonly string[]): readonly string[] {
  const counts = new Map<Plan, number>();
  return values.map((value) => {
    const plan = PLANS.find((name) => value.startsWith(`${name}=`)) ?? 'free';
    const keys = parseKeyList('--key', value.slice(plan.length + 1)).map((key) => {
      const number = (counts.get(plan) ?? 0) + 1;
      counts.set(plan, number);
      const limits = typeof key === 'string' ? '' : `@${key.perMinute}/${key.perDay}`;
      return `\${KEY_${plan.toUpperCase()}_${number}:?set it to ${plan}#${number}}${limits}`;
    });
    return `"${plan}=${keys.join(',')}"`;
  });
}

/** A name that does not sound secret, and a value that does not look like a key. */
const TELLING_NAME = /auth|cookie|token|secret|key|pass|session|credential|signature|jwt/i;
const RANDOM_VALUE = /(?=\S*\d)(?=\S*[A-Za-z])[\w.~+/=-]{16,}/;

function headerWord(text: string): string {
  const [name, value] = parseHeader(text);
  return TELLING_NAME.test(name) || RANDOM_VALUE.test(value)
    ? variable(`${name}: `, `HEADER_${variableName(name)}`, `the value of the header ${name}`)
    : shellWord(`${name}: ${value}`);
}

function environmentWord(text: string): string {
  const [name = ''] = text.split('=');
  return variable(`${name}=`, variableName(name), 'the variable of the container');
}

function variableName(name: string): string {
  return name.toUpperCase().replaceAll(/[^A-Z0-9]/g, '_');
}

/** A word in which a variable stands for a secret; a shell says what to set it to if it is not set. */
function variable(before: string, name: string, meaning: string): string {
  return `"${before}\${${name}:?set it to ${meaning}}"`;
}

function curlOptionsOf({ insecure, ca, header }: Flags<string>): readonly string[] {
  return [
    ...(insecure === true ? ['-k'] : textsOf(ca).flatMap((path) => ['--cacert', shellWord(path)])),
    ...textsOf(header).flatMap((text) => ['-H', headerWord(text)]),
  ];
}
