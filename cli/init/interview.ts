import { PLAN_LIMITS, PLANS, type Plan } from '../../contract/plans.ts';
import type { Profile } from '../../contract/verdict.ts';
import { isLoopback } from '../../suites/target/index.ts';
import {
  checkedAddress,
  problemOf,
  targetOf,
  type InitAnswers,
  exampleVariable,
  readKeyVariables,
  usualVariable,
  type KeyVariable,
} from './answers.ts';
import type { Dialogue } from './dialogue.ts';

/** Answers that options give. */
export interface GivenAnswers {
  readonly target: string | null;
  /** Empty if none is given. */
  readonly keys: readonly KeyVariable[];
  readonly control: string | null;
  readonly profile: Profile | null;
}

interface Circumstances {
  readonly dialogue: Dialogue;
  readonly environment: NodeJS.ProcessEnv;
  /** Whether the target is tried, so that the variables have to be set. */
  readonly isTried: boolean;
}

/** Asks what no option answers. @param earlier what was answered before, to be changed */
export async function interview(
  given: GivenAnswers,
  circumstances: Circumstances,
  earlier: InitAnswers | null = null,
): Promise<InitAnswers> {
  const { dialogue, environment } = circumstances;
  const target =
    given.target ??
    (await dialogue.text({
      message: 'What is the base address of the service? It usually ends in /v1.',
      option: 'TARGET',
      placeholder: 'https://staging.example/v1',
      ...(earlier === null ? {} : { initial: earlier.target }),
      problem: (text) => problemOf(() => checkedAddress('target', text, environment)),
    }));
  const control = given.control ?? (await askControl(target, given, circumstances, earlier));
  const { profile } = given;
  const known = { target, control, profile };
  const keys = given.keys.length > 0 ? given.keys : await askKeys(known, circumstances, earlier);
  return { ...known, keys };
}

/** Only a test build on this machine is likely to have one. */
async function askControl(
  target: string,
  given: GivenAnswers,
  { dialogue, environment }: Circumstances,
  earlier: InitAnswers | null,
): Promise<string | null> {
  if (!dialogue.isAttended || given.target !== null || !isLoopback(target)) {
    return null;
  }
  const answer = await dialogue.text({
    message: 'What is the control URL of your test build? Leave it empty if there is none.',
    option: '--control',
    placeholder: 'none',
    initial: earlier?.control ?? '',
    problem: (text) =>
      text === '' ? undefined : problemOf(() => checkedAddress('control', text, environment)),
  });
  return answer === '' ? null : answer;
}

async function askKeys(
  known: Omit<InitAnswers, 'keys'>,
  { dialogue, environment, isTried }: Circumstances,
  earlier: InitAnswers | null,
): Promise<readonly KeyVariable[]> {
  if (!dialogue.isAttended && known.control !== null) {
    return [];
  }
  const plans = await dialogue.select<Plan>({
    message: 'Which plans do you have API keys of?',
    option: '--key-variable',
    choices: PLANS.map((plan) => ({ value: plan, label: titleOf(plan), hint: limitsOf(plan) })),
    initial: [...new Set(earlier?.keys.map(({ plan }) => plan) ?? [])],
    isRequired: known.control === null,
  });
  const keys: KeyVariable[] = [];
  for (const plan of plans) {
    const read = (text: string): readonly KeyVariable[] =>
      readKeyVariables(plan, text, { named: 'This answer', environment, isUsed: isTried });
    const answer = await dialogue.text({
      message: `Which environment variables hold your ${titleOf(plan)} keys? Give names, not keys.`,
      option: '--key-variable',
      placeholder: exampleVariable(plan),
      initial: earlier === null ? likelyVariable(plan, environment) : variablesOfPlan(plan, earlier.keys),
      problem: (text) =>
        problemOf(() => {
          const all = [...keys, ...read(text)];
          return isTried ? targetOf({ ...known, keys: all }, environment) : all;
        }),
    });
    keys.push(...read(answer));
  }
  return keys;
}

/** The usual name of such a variable, if there is one of that name. */
function likelyVariable(plan: Plan, environment: NodeJS.ProcessEnv): string {
  const variable = usualVariable(plan);
  return (environment[variable] ?? '') === '' ? '' : variable;
}

function variablesOfPlan(wanted: Plan, keys: readonly KeyVariable[]): string {
  return keys
    .filter(({ plan }) => plan === wanted)
    .map(textOf)
    .join(', ');
}

function textOf({ variable, limits }: KeyVariable): string {
  return limits === null ? variable : `${variable}@${limits.perMinute}/${limits.perDay}`;
}

function titleOf(plan: Plan): string {
  return plan.charAt(0).toUpperCase() + plan.slice(1);
}

function limitsOf(plan: Plan): string {
  return plan === 'enterprise'
    ? 'limits of its own'
    : `${PLAN_LIMITS[plan].perMinute.toLocaleString('en-GB')} requests a minute`;
}
