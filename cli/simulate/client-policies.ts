import { existsSync } from 'node:fs';
import { basename, dirname } from 'node:path';

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
} from '../../simulation/index.ts';
import { fittedTo, type GivenPolicy, USUAL_JITTER } from '../library/simulate/client-policies.ts';
import { readReportFile } from '../shared/files/report-file.ts';
import { asShare, durationWithin } from '../shared/options/values.ts';

const secondsOf = durationWithin(0.001, 86_400);

type MakePolicy = (parameter: string | undefined, named: string) => ClientPolicy;

const NAMED: ReadonlyMap<string, MakePolicy> = new Map<string, MakePolicy>([
  ['exact', without(exactPolicy)],
  [
    'jitter',
    (parameter, named) => {
      if (parameter === undefined) {
        return jitterByShare(USUAL_JITTER);
      }
      return parameter.endsWith('s')
        ? jitterBySeconds(secondsOf(parameter, named))
        : jitterByShare(asShare(parameter, named));
    },
  ],
  ['exponential', inSeconds(exponential)],
  ['ignores', inSeconds(ignores)],
  ['gives-up', without(givesUpPolicy)],
]);

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
  const make = NAMED.get(name);
  if (make !== undefined && rest.length === 0) {
    return make(parameter, named);
  }
  if (existsSync(words)) {
    return readFitted(words, named);
  }
  const names = [...NAMED.keys()];
  throw new ConfigurationError(
    `${named}: there is no such policy and no such file.${didYouMean(name, names)} The policies are ${names.join(', ')}; a file is a report of certify.`,
  );
}

function readFitted(path: string, named: string): ClientPolicy {
  const file = basename(path);
  const name = file === 'report.json' ? `${basename(dirname(path))}/${file}` : file;
  return fittedTo(readReportFile(path, named), name, named);
}

function without(policy: ClientPolicy): MakePolicy {
  return (parameter, named) => {
    if (parameter !== undefined) {
      throw new ConfigurationError(`${named}: ${policy.name} has no parameter`);
    }
    return policy;
  };
}

function inSeconds(make: (seconds?: number) => ClientPolicy): MakePolicy {
  return (parameter, named) => make(parameter === undefined ? undefined : secondsOf(parameter, named));
}
