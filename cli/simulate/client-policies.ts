import { existsSync } from 'node:fs';
import { basename, dirname } from 'node:path';

import { didYouMean } from '../../contract/words/closest-name.ts';
import { ConfigurationError } from '../../contract/configuration-error.ts';
import type { ClientPolicy } from '../../simulation/index.ts';
import {
  fittedTo,
  policyOf,
  type ClientDescription,
  type GivenPolicy,
} from '../library/simulate/client-policies.ts';
import { readReportFile } from '../shared/files/report-file.ts';
import { asShare, durationWithin } from '../shared/options/values.ts';

const secondsOf = durationWithin(0.001, 86_400);

const NAMES = ['exact', 'jitter', 'exponential', 'ignores', 'gives-up'] as const;

/**
 * A policy of clients: a name with its parameter, or a report of certify; with `@` and the share of the clients.
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
    return policyOf({ policy, ...readParameter(policy, parameter, named) }, named);
  }
  if (existsSync(words)) {
    return readFitted(words, named);
  }
  throw new ConfigurationError(
    `${named}: there is no such policy and no such file.${didYouMean(name, NAMES)} The policies are ${NAMES.join(', ')}; a file is a report of certify.`,
  );
}

function readParameter(
  policy: (typeof NAMES)[number],
  parameter: string | undefined,
  named: string,
): Pick<ClientDescription, 'seconds' | 'jitter'> {
  if (parameter === undefined) {
    return {};
  }
  if (policy === 'exact' || policy === 'gives-up') {
    throw new ConfigurationError(`${named}: ${policy} has no parameter`);
  }
  return policy === 'jitter' && !parameter.endsWith('s')
    ? { jitter: asShare(parameter, named) }
    : { seconds: secondsOf(parameter, named) };
}

function readFitted(path: string, named: string): ClientPolicy {
  const file = basename(path);
  const name = file === 'report.json' ? `${basename(dirname(path))}/${file}` : file;
  return fittedTo(readReportFile(path, named), name, named);
}
