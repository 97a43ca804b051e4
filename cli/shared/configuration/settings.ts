import { PLANS } from '../../../contract/plans.ts';
import { PROFILES } from '../../../contract/verdict.ts';
import { parseKeyList, parseKeyOptions, type GivenKey } from '../options/keys.ts';
import { parseChoice, readCommaSeparated } from '../options/values.ts';
import { keyVariable } from './variables.ts';

/** A value in the shape of the configuration file, and the option or variable that gave it. */
interface Setting {
  readonly value: string | readonly GivenKey[];
  readonly source: string;
}

/** Settings by field, such as `target`, `keys.free` and `pets.missing`. */
export type Settings = ReadonlyMap<string, Setting>;

/** The options that describe a target, as the parser of the command line returns them. */
export interface TargetFlags {
  readonly config?: string;
  readonly key?: readonly string[];
  readonly revokedKey?: readonly string[];
  readonly control?: string;
  readonly existingPet?: readonly string[];
  readonly missingPet?: string;
  readonly profile?: string;
  readonly self?: boolean;
}

/** @throws {ConfigurationError} that names the option */
export function commandLineSettings(target: string | undefined, flags: TargetFlags): Settings {
  const keys = [...parseKeyOptions(flags.key ?? [])];
  return present([
    ['target', target, 'TARGET'],
    ...keys.map(([plan, list]) => [`keys.${plan}`, list, '--key'] as const),
    ['revokedKeys', listOf('--revoked-key', flags.revokedKey), '--revoked-key'],
    ['control', flags.control, '--control'],
    ['pets.existing', listOf('--existing-pet', flags.existingPet), '--existing-pet'],
    ['pets.missing', flags.missingPet, '--missing-pet'],
    ['profile', parseProfile('--profile', flags.profile), '--profile'],
  ]);
}

/**
 * Settings in STOCKCHECK_ variables; an empty variable is as good as none.
 * @throws {ConfigurationError} that names the variable
 */
export function environmentSettings(environment: NodeJS.ProcessEnv): Settings {
  const read = (name: string): string | undefined => environment[name]?.trim() || undefined;
  const list = (name: string): readonly string[] | undefined => {
    const text = read(name);
    return text === undefined ? undefined : readCommaSeparated(name, [text]);
  };
  return present([
    ['target', read('STOCKCHECK_TARGET'), 'STOCKCHECK_TARGET'],
    ...PLANS.map((plan) => {
      const name = keyVariable(plan);
      const text = read(name);
      return [`keys.${plan}`, text === undefined ? undefined : parseKeyList(name, text), name] as const;
    }),
    ['revokedKeys', list('STOCKCHECK_REVOKED_KEYS'), 'STOCKCHECK_REVOKED_KEYS'],
    ['control', read('STOCKCHECK_CONTROL'), 'STOCKCHECK_CONTROL'],
    ['pets.existing', list('STOCKCHECK_PETS_EXISTING'), 'STOCKCHECK_PETS_EXISTING'],
    ['pets.missing', read('STOCKCHECK_PETS_MISSING'), 'STOCKCHECK_PETS_MISSING'],
    ['profile', parseProfile('STOCKCHECK_PROFILE', read('STOCKCHECK_PROFILE')), 'STOCKCHECK_PROFILE'],
  ]);
}

function listOf(named: string, values: readonly string[] | undefined): readonly string[] | undefined {
  return values === undefined ? undefined : readCommaSeparated(named, values);
}

function parseProfile(named: string, text: string | undefined): string | undefined {
  return text === undefined ? undefined : parseChoice(named, text, PROFILES);
}

type Row = readonly [field: string, value: Setting['value'] | undefined, source: string];

function present(rows: readonly Row[]): Settings {
  return new Map(
    rows.flatMap(([field, value, source]) =>
      value === undefined ? [] : [[field, { value, source }] as const],
    ),
  );
}
