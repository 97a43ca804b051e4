import { didYouMean } from '../../contract/words/closest-name.ts';
import { ConfigurationError } from '../../contract/configuration-error.ts';
import {
  type ClientPolicy,
  exactPolicy,
  exponential,
  givesUpPolicy,
  ignores,
  jitterByShare,
  jitterBySeconds,
  type PopulationShare,
} from '../../simulation/index.ts';
import { asShare, durationWithin } from '../shared/options/values.ts';

/** A policy with the share of the clients, if it says one. */
interface GivenPolicy {
  readonly policy: ClientPolicy;
  readonly share: number | null;
}

const secondsOf = durationWithin(0.001, 86_400);

const USUAL_JITTER = 0.5;

const NAMES = ['exact', 'jitter', 'exponential', 'ignores', 'gives-up'] as const;

/**
 * A policy of clients: a name with its parameter, and with `@` the share of the clients.
 * @throws {ConfigurationError} that names the option
 */
export function readClientPolicy(text: string, option: string): GivenPolicy {
  const { policy: words = text, share } = /^(?<policy>.+)@(?<share>[\d.]+%?)$/.exec(text)?.groups ?? {};
  const named = `${option} ${text}`;
  return {
    policy: readPolicy(words, named),
    share: share === undefined ? null : asShare(share, `${named}: the share`),
  };
}

function readPolicy(words: string, named: string): ClientPolicy {
  const [name = '', parameter, ...rest] = words.split(':');
  const policy = NAMES.find((one) => one === name);
  if (policy !== undefined && rest.length === 0) {
    return policyOf(policy, parameter, named);
  }
  throw new ConfigurationError(
    `${named}: there is no such policy.${didYouMean(name, NAMES)} The policies are ${NAMES.join(', ')}.`,
  );
}

function policyOf(
  policy: (typeof NAMES)[number],
  parameter: string | undefined,
  named: string,
): ClientPolicy {
  const seconds = (): number | undefined =>
    parameter === undefined ? undefined : secondsOf(parameter, named);
  switch (policy) {
    case 'jitter':
      return parameter?.endsWith('s') === true
        ? jitterBySeconds(secondsOf(parameter, named))
        : jitterByShare(parameter === undefined ? USUAL_JITTER : asShare(parameter, named));
    case 'exponential':
      return exponential(seconds());
    case 'ignores':
      return ignores(seconds());
    case 'exact':
    case 'gives-up':
      if (parameter !== undefined) {
        throw new ConfigurationError(`${named}: ${policy} has no parameter`);
      }
      return policy === 'exact' ? exactPolicy : givesUpPolicy;
  }
}

/**
 * The shares of a population; policies without one have equal parts of what the others leave.
 * @throws {ConfigurationError} if the shares do not add up to 1
 */
export function sharesOf(given: readonly GivenPolicy[], option: string): readonly PopulationShare[] {
  if (given.length === 0) {
    return [{ policy: exactPolicy, share: 1 }];
  }
  const taken = given.reduce((sum, { share }) => sum + (share ?? 0), 0);
  const open = given.filter(({ share }) => share === null).length;
  if (taken > 1 + 1e-9 || (open === 0 && taken < 1 - 1e-9)) {
    throw new ConfigurationError(
      `${option}: the shares add up to ${Number((taken * 100).toFixed(3))}%, not to 100%`,
    );
  }
  return given.map(({ policy, share }) => ({ policy, share: share ?? (1 - taken) / open }));
}
