import { optionName } from '../../library/option-name.ts';
import { PROFILES, type Profile } from '../../../contract/verdict.ts';
import {
  planOf,
  TARGET_SETTINGS,
  type DescribedKey,
  type FieldOption,
  type TargetSetting,
} from '../../../contract/target-fields.ts';
import { parseKeyList, parseKeyOptions } from '../options/keys.ts';
import { textsOf, type Flags } from '../options/option-rows.ts';
import { oneOf } from '../options/values.ts';
import { readCommaSeparated } from '../../library/entries.ts';

/** A value in the shape of the configuration file, and the option or variable that gave it. */
interface Setting {
  readonly value: string | readonly DescribedKey[];
  readonly source: string;
}

/** Settings by field, such as `target`, `keys.free` and `pets.missing`. */
export type Settings = ReadonlyMap<string, Setting>;

/** The options that describe a target, as the parser of the command line returns them. */
export type TargetFlags = Flags<FieldOption | 'config' | 'self'>;

/** @throws {ConfigurationError} that names the option */
export function commandLineSettings(target: string | undefined, flags: TargetFlags): Settings {
  const keys = parseKeyOptions(textsOf(flags.key));
  const given: Flags<string> = flags;
  return settingsOf((setting) => {
    const { option } = setting.field;
    if (option === undefined) {
      return target === undefined ? undefined : { value: target, source: 'TARGET' };
    }
    const source = optionName(option);
    const plan = setting.field.kind === 'plan keys' ? planOf(setting) : undefined;
    const value = plan === undefined ? readValue(setting, source, textsOf(given[option])) : keys.get(plan);
    return value === undefined ? undefined : { value, source };
  });
}

/**
 * Settings in STOCKCHECK_ variables; an empty variable counts as none.
 * @throws {ConfigurationError} that names the variable
 */
export function environmentSettings(environment: NodeJS.ProcessEnv): Settings {
  return settingsOf((setting) => {
    const { variable } = setting;
    const text = environment[variable]?.trim() ?? '';
    const value = readValue(setting, variable, text === '' ? [] : [text]);
    return value === undefined ? undefined : { value, source: variable };
  });
}

/** What the command line and the environment say, in this order. @throws {ConfigurationError} */
export function readSettings(
  target: string | undefined,
  flags: TargetFlags,
  environment: NodeJS.ProcessEnv,
): Settings {
  return new Map([...environmentSettings(environment), ...commandLineSettings(target, flags)]);
}

/** The setting of a field, or of the one that it is part of. */
export function settingAt(settings: Settings, path: readonly string[]): Setting | undefined {
  return settings.get(path.slice(0, 2).join('.')) ?? settings.get(path[0] ?? '');
}

/** The profile that the settings ask for. */
export function profileIn(settings: Settings): Profile | null {
  return PROFILES.find((name) => name === settings.get('profile')?.value) ?? null;
}

function settingsOf(read: (setting: TargetSetting) => Setting | undefined): Settings {
  return new Map(
    TARGET_SETTINGS.flatMap((setting) => {
      const found = read(setting);
      return found === undefined ? [] : [[setting.path.join('.'), found] as const];
    }),
  );
}

function readValue(
  { field }: TargetSetting,
  source: string,
  texts: readonly string[],
): Setting['value'] | undefined {
  const [text] = texts;
  if (text === undefined) {
    return undefined;
  }
  switch (field.kind) {
    case 'plan keys':
      return parseKeyList(source, text);
    case 'revoked keys':
    case 'pets':
      return readCommaSeparated(source, texts);
    case 'choice':
      return oneOf(field.choices)(text, source);
    case 'url':
    case 'pet':
      return text;
  }
}
