import { PLANS, type Plan } from './plans.ts';
import { PROFILES } from './verdict.ts';

/** A key in a configuration: alone, or with limits of its own in requests. */
export type DescribedKey =
  | string
  | { readonly key: string; readonly perMinute: number; readonly perDay: number };

interface FieldTexts {
  /** What the JSON Schema says of it, for editors. */
  readonly description?: string;
  /** Its option in camel case; the target is an argument instead. */
  readonly option?: string;
  readonly placeholder?: string;
  readonly help?: string;
}

interface PlainField extends FieldTexts {
  readonly kind: 'url' | 'plan keys' | 'revoked keys' | 'pets' | 'pet';
}

interface ChoiceField extends FieldTexts {
  readonly kind: 'choice';
  readonly choices: readonly string[];
}

interface FieldGroup {
  readonly kind: 'group';
  /** Reads on from "must be". */
  readonly title: string;
  readonly description: string;
  readonly members: Readonly<Record<string, TargetField>>;
}

export type TargetField = PlainField | ChoiceField | FieldGroup;

const PLAN_KEYS = {
  kind: 'plan keys',
  option: 'key',
  placeholder: 'plan=key',
  help: 'API key of a plan, or plan=key@perMinute/perDay; plan=@FILE and plan=- (stdin) keep keys off the command line',
} as const;

/**
 * What a configuration says of a target. The type of each field, its JSON Schema, its option, the option's help,
 * its environment variable, and how both are read all come from its row.
 */
export const TARGET_FIELDS = {
  target: {
    kind: 'url',
    description: 'Base address of the implementation, up to and including /v1.',
    help: 'base URL of the implementation, ending in /v1',
  },
  keys: {
    kind: 'group',
    title: 'an object with the keys of each plan',
    description: 'API keys by plan. The keys of one plan are used side by side.',
    members: { free: PLAN_KEYS, pro: PLAN_KEYS, business: PLAN_KEYS, enterprise: PLAN_KEYS },
  },
  revokedKeys: {
    kind: 'revoked keys',
    description: 'Keys that were valid once and have to be refused now.',
    option: 'revokedKey',
    placeholder: 'key',
    help: 'key that was revoked',
  },
  control: {
    kind: 'url',
    description: "Base address of the control contract, if the target's test build offers it.",
    option: 'control',
    placeholder: 'url',
    help: 'base URL of the control contract',
  },
  pets: {
    kind: 'group',
    title: 'an object with existing and missing',
    description: 'petIds that the suite may use; without them it takes them from the list.',
    members: {
      existing: {
        kind: 'pets',
        description: 'Pets whose quantity may be changed and restored.',
        option: 'existingPet',
        placeholder: 'id',
        help: 'petId whose quantity may be changed and restored',
      },
      missing: {
        kind: 'pet',
        description: 'A petId that belongs to no entry.',
        option: 'missingPet',
        placeholder: 'id',
        help: 'petId that belongs to no entry',
      },
    },
  },
  profile: {
    kind: 'choice',
    choices: PROFILES,
    description:
      'safe: reads only. standard: writes too, never exhausts a limit. full: exhausts limits and provokes bans. Default: full on a loopback target or with a control URL, else standard.',
    option: 'profile',
    placeholder: 'name',
    help: 'safe (reads), standard (writes too) or full (exhausts limits)',
  },
} as const satisfies Readonly<Record<string, TargetField>>;

type ValueOf<Field> = Field extends { readonly members: infer Members }
  ? { readonly [Name in keyof Members]?: ValueOf<Members[Name]> }
  : Field extends { readonly choices: readonly (infer Choice)[] }
    ? Choice
    : Field extends { readonly kind: 'plan keys' }
      ? readonly DescribedKey[]
      : Field extends { readonly kind: 'revoked keys' | 'pets' }
        ? readonly string[]
        : string;

type Fields = typeof TARGET_FIELDS;

/** A target as a configuration file describes it, before it is validated and completed. */
export type DescribedTarget = { readonly target: string } & {
  readonly [Name in Exclude<keyof Fields, 'target'>]?: ValueOf<Fields[Name]>;
};

type Leaf<Field> = Field extends { readonly members: infer Members } ? Leaf<Members[keyof Members]> : Field;

/** The option of a field, such as `revokedKey`. */
export type FieldOption = Extract<Leaf<Fields[keyof Fields]>, { readonly option: string }>['option'];

/** A field that one option or variable gives the whole of. */
export interface TargetSetting {
  /** Such as `['pets', 'missing']`. */
  readonly path: readonly string[];
  readonly field: Exclude<TargetField, FieldGroup>;
  readonly variable: string;
}

/** The fields without their groups, in the order of the file. */
export const TARGET_SETTINGS: readonly TargetSetting[] = settingsIn(TARGET_FIELDS, []);

function settingsIn(
  fields: Readonly<Record<string, TargetField>>,
  parents: readonly string[],
): readonly TargetSetting[] {
  return Object.entries(fields).flatMap(([name, field]) => {
    const path = [...parents, name];
    return field.kind === 'group'
      ? settingsIn(field.members, path)
      : [{ path, field, variable: variableOf(path, field) }];
  });
}

/** `STOCKCHECK_PETS_MISSING` for `pets.missing`; of the keys, one for each plan. */
function variableOf(path: readonly string[], { kind, option = '' }: TargetSetting['field']): string {
  const words = kind === 'plan keys' ? [option, ...path.slice(1)] : path;
  const name = words.map((word) => word.replaceAll(/[A-Z]/g, (letter) => `_${letter}`)).join('_');
  return `STOCKCHECK_${name.toUpperCase()}`;
}

/** The plan whose keys a setting gives. */
export function planOf({ path }: TargetSetting): Plan | undefined {
  return PLANS.find((plan) => plan === path[1]);
}
