import { ConfigurationError } from '../../contract/configuration-error.ts';
import type { JsonObject } from '../../contract/json/index.ts';
import { PLANS } from '../../contract/plans.ts';
import type { Profile } from '../../contract/verdict.ts';
import { readReferences, resolveTargetConfig, type TargetConfig } from '../../suites/target/index.ts';
import { variablesIn } from '../shared/configuration/variables.ts';
import type { KeyVariable } from './key-variables.ts';

/** What the configuration is made of. */
export interface InitAnswers {
  /** As it goes into the file; it may name environment variables. */
  readonly target: string;
  readonly keys: readonly KeyVariable[];
  /** `null` if there is none. */
  readonly control: string | null;
  /** `null` for the one that a run chooses by itself. */
  readonly profile: Profile | null;
}

/** The configuration in the shape of its file; keys are names of variables there. */
export function describeAnswers({ target, keys, control, profile }: InitAnswers): JsonObject {
  const plans = PLANS.map(
    (plan) => [plan, keys.filter((key) => key.plan === plan).map(describeKey)] as const,
  );
  const given = plans.filter(([, described]) => described.length > 0);
  return {
    target,
    ...(given.length === 0 ? {} : { keys: Object.fromEntries(given) }),
    ...(control === null ? {} : { control }),
    ...(profile === null ? {} : { profile }),
  };
}

function describeKey({ variable, limits }: KeyVariable) {
  const key = `$${variable}`;
  return limits === null ? key : { key, perMinute: limits.perMinute, perDay: limits.perDay };
}

/**
 * The target that the answers describe, with the values of the variables that they name.
 * @throws {ConfigurationError} with a line for each problem; it names the field
 */
export function targetOf(answers: InitAnswers, environment: NodeJS.ProcessEnv): TargetConfig {
  const source = 'the answers';
  return resolveTargetConfig(readReferences(describeAnswers(answers), { environment, source }), source);
}

/**
 * A base address as it was given; it may name environment variables.
 * @param field as the configuration calls it
 * @param named what messages call it; they name the field alone if it is absent
 * @throws {ConfigurationError} if it is none
 */
export function checkedAddress(
  field: 'target' | 'control',
  text: string,
  environment: NodeJS.ProcessEnv,
  named?: string,
): string {
  const usable = { target: 'http://service.invalid/v1', keys: { free: ['none'] } };
  const described = { ...usable, [field]: text };
  const source = named ?? 'the answer';
  resolveTargetConfig(readReferences(described, { environment, source }), named);
  return text;
}

/** What a reader of an answer has to say against it, or `undefined`. */
export function problemOf(read: () => unknown): string | undefined {
  try {
    read();
    return undefined;
  } catch (error) {
    if (error instanceof ConfigurationError) {
      return error.message;
    }
    throw error;
  }
}

/** The environment variables that the configuration names, each once. */
export function variablesOf(answers: InitAnswers): readonly string[] {
  return variablesIn(JSON.stringify(describeAnswers(answers)));
}
