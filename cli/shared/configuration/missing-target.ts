import { readdirSync } from 'node:fs';

import { closestName } from '../../../contract/words/closest-name.ts';
import { ConfigurationError } from '../../../contract/configuration-error.ts';
import { CONFIGURATION_FILE } from './configuration-file.ts';
import type { Settings } from './settings.ts';

/** Says that nothing names a target, and how to name one: a gate that lost its target must not judge another. */
export function targetMissing(
  settings: Settings,
  environment: NodeJS.ProcessEnv,
  directory: string,
): ConfigurationError {
  const described = [...settings].filter(([field]) => field !== 'profile').map(([, { source }]) => source);
  const sources = [...new Set(described)];
  const found =
    sources.length === 0
      ? 'nothing names one'
      : `${sources.join(', ')} describe${sources.length === 1 ? 's' : ''} a target without its URL`;
  return new ConfigurationError(
    [
      `TARGET is missing: ${found}. Give it as an argument, such as http://127.0.0.1:8080/v1, in STOCKCHECK_TARGET, or as "target" in ${CONFIGURATION_FILE} or in the file of --config.`,
      ...(isTargetEmpty(environment) ? ['STOCKCHECK_TARGET is set, but empty.'] : []),
      ...similarFiles(directory).map(
        (name) => `${name} is not read: rename it to ${CONFIGURATION_FILE}, or use --config ${name}.`,
      ),
      'To try stockcheck on the embedded reference server, use --self.',
    ].join('\n'),
  );
}

/** An empty variable leaves the target to the file, which may name another than was meant. */
export function emptyTargetWarnings(environment: NodeJS.ProcessEnv, settings: Settings): readonly string[] {
  return isTargetEmpty(environment) && !settings.has('target')
    ? ['STOCKCHECK_TARGET is set, but empty; the target comes from the configuration file']
    : [];
}

function isTargetEmpty(environment: NodeJS.ProcessEnv): boolean {
  return environment['STOCKCHECK_TARGET']?.trim() === '';
}

function similarFiles(directory: string): readonly string[] {
  return readdirSync(directory).filter((name) => closestName(name, [CONFIGURATION_FILE]) !== undefined);
}
