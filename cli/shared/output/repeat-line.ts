import { optionName } from '../../library/option-name.ts';
import { PLANS, type Plan } from '../../../contract/plans.ts';
import { keyVariable } from '../../../contract/trail.ts';
import { shellWord } from '../../../reports/index.ts';
import type { Repetition } from '../../library/repetition.ts';
import { parseHeader } from '../options/values.ts';
import { parseKeyList } from '../options/keys.ts';
import { textsOf, type Flags, type OptionText, type Secret } from '../options/option-rows.ts';
import { splitList } from '../../library/entries.ts';

/** These options of the command line as they were given, with a variable in place of each secret. */
export function readRepetition(
  command: string,
  target: string | undefined,
  rows: Readonly<Record<string, OptionText>>,
  flags: Flags<string>,
): Repetition {
  const given = Object.entries(rows).flatMap(([name, row]) =>
    wordsOf(row, optionName(name), textsOf(flags[name])),
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
        .map((_, index) => variable('', keyVariable(`revoked#${index + 1}`), 'the revoked key'));
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
      const label = `${plan}#${number}`;
      return `\${${keyVariable(label)}:?set it to ${label}}${limits}`;
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
