import { CONFIGURATION_FILE } from '../shared/configuration/configuration.ts';
import { commandLineSettings, profileIn, type TargetFlags } from '../shared/configuration/settings.ts';
import { readOptions, type Flags, type Surroundings } from '../shared/options/option-rows.ts';
import { checkedAddress } from './answers.ts';
import { INIT_OPTIONS } from './command.ts';
import type { GivenAnswers } from './interview.ts';
import { readKeyVariableOption } from './key-variables.ts';

/** What `stockcheck init` was asked for, validated. */
export interface InitOptions {
  readonly given: GivenAnswers;
  /** The id of a pipeline or `none`; `null` if that is to be asked. */
  readonly pipeline: string | null;
  /** Where the configuration goes. */
  readonly configuration: string;
  readonly isTried: boolean;
  readonly replaces: boolean;
  readonly surroundings: Surroundings;
}

/** The options of `init` as the parser of the command line returns them. */
export type InitFlags = Flags<keyof typeof INIT_OPTIONS>;

/** @throws {ConfigurationError} that names the option */
export function readInitOptions(
  target: string | undefined,
  flags: InitFlags,
  surroundings: Surroundings,
): InitOptions {
  const { keyVariable, pipeline, config, offline, force } = readOptions(INIT_OPTIONS, flags, surroundings);
  const { environment } = surroundings;
  const { control, profile }: TargetFlags = flags;
  const settings = commandLineSettings(target, {
    ...(control === undefined ? {} : { control }),
    ...(profile === undefined ? {} : { profile }),
  });
  const given = (field: 'target' | 'control', named: string): string | null => {
    const address = settings.get(field)?.value;
    return typeof address === 'string' ? checkedAddress(field, address, environment, named) : null;
  };
  const answers: GivenAnswers = {
    target: given('target', 'TARGET'),
    control: given('control', '--control'),
    profile: profileIn(settings),
    keys: keyVariable.flatMap((text) =>
      readKeyVariableOption(text, '--key-variable', { environment, isUsed: !offline }),
    ),
  };
  return {
    given: answers,
    pipeline,
    configuration: config ?? CONFIGURATION_FILE,
    isTried: !offline,
    replaces: force,
    surroundings,
  };
}
