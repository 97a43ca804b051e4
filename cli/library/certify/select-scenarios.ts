import picomatch from 'picomatch';

import { CLIENT_REQUIREMENTS } from '../../../contract/requirements/index.ts';
import { didYouMean } from '../../../contract/words/closest-name.ts';
import { ConfigurationError } from '../../../contract/configuration-error.ts';
import { SCENARIOS, type ClientScenario } from '../../../suites/certify/index.ts';
import { readCommaSeparated } from '../entries.ts';

/**
 * The scenarios whose id, or a requirement that they are judged by, fits one of the patterns; all if there is none.
 * @param named what messages call the patterns
 * @throws {ConfigurationError} if a pattern matches nothing
 */
export function selectScenarios(patterns: readonly string[], named: string): readonly ClientScenario[] {
  if (patterns.length === 0) {
    return SCENARIOS;
  }
  const selected = new Set<ClientScenario>();
  for (const pattern of readCommaSeparated(named, patterns)) {
    const matches = picomatch(pattern);
    const found = SCENARIOS.filter(
      ({ id, judges }) => matches(id) || judges.some((judged) => matches(judged)),
    );
    if (found.length === 0) {
      const known = [...SCENARIOS, ...CLIENT_REQUIREMENTS].map(({ id }) => id);
      throw new ConfigurationError(
        `${named} ${pattern} matches no scenario and no client requirement.${didYouMean(pattern, known)} \`stockcheck certify --list\` lists the scenarios, \`stockcheck explain client\` the requirements.`,
      );
    }
    found.forEach((scenario) => selected.add(scenario));
  }
  return SCENARIOS.filter((scenario) => selected.has(scenario));
}
