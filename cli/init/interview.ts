import { PLANS } from '../../contract/plans.ts';
import { isLoopback } from '../../suites/target/index.ts';
import {
  checkedAddress,
  problemOf,
  readKeyVariables,
  targetOf,
  type InitAnswers,
  type KeyReading,
  type NamedKeys,
} from './answers.ts';
import type { Dialogue } from './dialogue.ts';

/** Answers that options give; there are no keys if none is given. */
export type GivenAnswers = Omit<InitAnswers, 'target'> & { readonly target: string | null };

/** Asks what no option answers. */
export async function interview(
  given: GivenAnswers,
  dialogue: Dialogue,
  reading: KeyReading,
): Promise<InitAnswers> {
  const { environment } = reading;
  const target =
    given.target ??
    (await dialogue.text({
      message: 'What is the base address of the service? It usually ends in /v1.',
      option: 'TARGET',
      placeholder: 'https://staging.example/v1',
      problem: (text) => problemOf(() => checkedAddress('target', text, environment)),
    }));
  // Only a test build on this machine is likely to have one.
  const mayHaveControl = dialogue.isAttended && given.target === null && isLoopback(target);
  const control = given.control ?? (mayHaveControl ? await askControl(dialogue, environment) : null);
  const known = { ...given, target, control };
  const isAsked = given.keys.size === 0 && (dialogue.isAttended || control === null);
  return isAsked ? { ...known, keys: await askKeys(known, dialogue, reading) } : known;
}

async function askControl(dialogue: Dialogue, environment: NodeJS.ProcessEnv): Promise<string | null> {
  const answer = await dialogue.text({
    message: 'What is the control URL of your test build? Leave it empty if there is none.',
    option: '--control',
    placeholder: 'none',
    problem: (text) =>
      text === '' ? undefined : problemOf(() => checkedAddress('control', text, environment)),
  });
  return answer === '' ? null : answer;
}

const NAMED = 'This answer,';

async function askKeys(known: InitAnswers, dialogue: Dialogue, reading: KeyReading): Promise<NamedKeys> {
  const { environment, isTried } = reading;
  const read = (text: string): NamedKeys =>
    text === '' && known.control !== null
      ? new Map()
      : readKeyVariables(text.split(/[\s,]+(?=\w+=)/), NAMED, reading);
  const answer = await dialogue.text({
    message: `Which environment variables hold your API keys? Give names, not keys, by plan (${PLANS.join(', ')}).`,
    option: '--key-variable',
    placeholder: 'free=FREE_KEY, FREE_KEY_2 enterprise=ENTERPRISE_KEY@5000/500000',
    initial: likelyVariables(environment),
    problem: (text) =>
      problemOf(() => {
        const keys = read(text);
        return isTried ? targetOf({ ...known, keys }, environment) : keys;
      }),
  });
  return read(answer);
}

/** The usual names of such variables, as far as there are any of that name. */
function likelyVariables(environment: NodeJS.ProcessEnv): string {
  return PLANS.map((plan) => [plan, `${plan.toUpperCase()}_KEY`] as const)
    .filter(([, name]) => (environment[name] ?? '') !== '')
    .map(([plan, name]) => `${plan}=${name}`)
    .join(' ');
}
