import { existsSync } from 'node:fs';
import { basename, dirname } from 'node:path';

import { closestName } from '../../contract/closest-name.ts';
import { ConfigurationError } from '../../contract/configuration-error.ts';
import type { CertifyReport } from '../../reports/index.ts';
import {
  type ClientPolicy,
  exactPolicy,
  exponential,
  fittedPolicy,
  fitWaits,
  givesUpPolicy,
  ignores,
  jitterByShare,
  jitterBySeconds,
  type PopulationShare,
} from '../../simulation/index.ts';
import { readReportFile } from '../shared/files/report-file.ts';
import { parseSeconds, parseShare } from '../shared/options/values.ts';

/** A policy as an option names it, with the share of the clients if it says one. */
export interface GivenPolicy {
  readonly policy: ClientPolicy;
  readonly share: number | null;
}

const LONGEST_SECONDS = 86_400;
const SHORTEST_SECONDS = 0.001;
const USUAL_JITTER = 0.5;

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
        : jitterByShare(parseShare(named, parameter));
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
    share: share === undefined ? null : parseShare(`${named}: the share`, share),
  };
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

function readPolicy(words: string, named: string): ClientPolicy {
  const [name = '', parameter, ...rest] = words.split(':');
  const make = NAMED.get(name);
  if (make !== undefined && rest.length === 0) {
    return make(parameter, named);
  }
  if (existsSync(words)) {
    return readFitted(words, named);
  }
  const closest = closestName(name, [...NAMED.keys()]);
  const hint = closest === undefined ? '' : ` Did you mean ${closest}?`;
  throw new ConfigurationError(
    `${named}: there is no such policy and no such file.${hint} The policies are ${[...NAMED.keys()].join(', ')}; a file is a report of certify.`,
  );
}

function readFitted(path: string, named: string): ClientPolicy {
  const report = readReportFile(path, named);
  if (report.kind !== 'certify') {
    throw new ConfigurationError(
      `${named}: this is a report of ${report.kind}, which says nothing of how a client waits; take one of certify`,
    );
  }
  const { scenarios, herd } = report;
  const fit = fitWaits(
    scenarios.map(measuredScenario),
    herd === undefined ? null : { refusals: herd.refusals, declined: herd.longestWait.declined },
  );
  if (fit === null) {
    throw new ConfigurationError(
      `${named}: the client was never refused in that run; certify it with --only 'limited-*' or with --herd`,
    );
  }
  const file = basename(path);
  return fittedPolicy(file === 'report.json' ? `${basename(dirname(path))}/${file}` : file, fit);
}

function measuredScenario({ timeline, ending }: CertifyReport['scenarios'][number]) {
  return { timeline, hasEnded: ending.startsWith('It reported') };
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

function secondsOf(parameter: string, named: string): number {
  return parseSeconds(named, parameter.replace(/s$/, ''), SHORTEST_SECONDS, LONGEST_SECONDS);
}
