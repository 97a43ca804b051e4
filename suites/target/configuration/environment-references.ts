import { ConfigurationError } from '../../../contract/configuration-error.ts';
import { formatPath, type FieldPath } from './target-config-problems.ts';

const WHOLE = /^\$(?<name>[A-Za-z_]\w*)$/;
const BRACED = /\$\{(?<name>[A-Za-z_]\w*)\}/g;

export interface ReferenceOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** What messages call the configuration. */
  readonly source: string;
  /** Whether a field is left as it is; none is by default. */
  readonly skips?: (path: FieldPath) => boolean;
}

/**
 * Reads the variables that a configuration names: a string `"$NAME"` is that environment variable, and so is `${NAME}`
 * anywhere in a string.
 * @throws {ConfigurationError} with a line for each variable that is not set or empty; it names the field
 */
export function readReferences(value: unknown, options: ReferenceOptions): unknown {
  const problems: string[] = [];
  const read = (name: string, path: FieldPath): string => {
    const text = options.environment[name] ?? '';
    if (text === '') {
      const state = options.environment[name] === undefined ? 'not set' : 'empty';
      problems.push(
        `${options.source}: ${formatPath(path)} is read from the environment variable ${name}, which is ${state}`,
      );
    }
    return text;
  };
  const resolved = replaceIn(value, [], (text, path) => {
    if (options.skips?.(path) === true) {
      return text;
    }
    const whole = WHOLE.exec(text)?.groups?.['name'];
    return whole === undefined
      ? text.replaceAll(BRACED, (_, name: string) => read(name, path))
      : read(whole, path);
  });
  if (problems.length > 0) {
    throw new ConfigurationError([...new Set(problems)].join('\n'));
  }
  return resolved;
}

function replaceIn(
  value: unknown,
  path: FieldPath,
  replace: (text: string, path: FieldPath) => string,
): unknown {
  if (typeof value === 'string') {
    return replace(value, path);
  }
  if (Array.isArray(value)) {
    return value.map((item: unknown, index) => replaceIn(item, [...path, `${index}`], replace));
  }
  return typeof value === 'object' && value !== null
    ? Object.fromEntries(
        Object.entries(value).map(([name, member]) => [name, replaceIn(member, [...path, name], replace)]),
      )
    : value;
}
