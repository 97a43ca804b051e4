import { closestName } from '../../../contract/words/closest-name.ts';
import { TARGET_SETTINGS } from '../../../contract/target-fields.ts';

const PREFIX = 'STOCKCHECK_';

/** Variables that describe a target. */
export const SETTING_VARIABLES: readonly string[] = TARGET_SETTINGS.map(({ variable }) => variable);

const SETTINGS = [...SETTING_VARIABLES, `${PREFIX}STATE_DIR`, `${PREFIX}CERTIFICATE_KEY`];

/** Variables that `certify` sets for clients, which may run stockcheck themselves. */
const OF_CLIENTS = ['BASE_URL', 'API_KEY', 'OPERATION', 'PET_ID', 'QUANTITY'].map(
  (name) => `${PREFIX}${name}`,
);

/** The variables that a text names, such as `$NAME` or `${NAME}`, each once. */
export function variablesIn(text: string): readonly string[] {
  return [...new Set([...text.matchAll(/\$\{?(?<name>[A-Za-z_]\w*)/g)].map(([, name = '']) => name))];
}

/**
 * One sentence for each variable that begins like a setting and is none: it has no effect, most likely unnoticed.
 * @param named variables that the configuration names
 */
export function unknownVariables(
  environment: NodeJS.ProcessEnv,
  named: readonly string[] = [],
): readonly string[] {
  const known = new Set([...SETTINGS, ...OF_CLIENTS, ...named]);
  return Object.keys(environment)
    .filter((name) => name.toUpperCase().startsWith(PREFIX) && !known.has(name))
    .map((name) => {
      const closest = closestName(
        name.slice(PREFIX.length),
        SETTINGS.map((variable) => variable.slice(PREFIX.length)),
      );
      const hint = closest === undefined ? '' : ` Did you mean ${PREFIX}${closest}?`;
      return `the environment variable ${name} is not known and has no effect.${hint}`;
    });
}
