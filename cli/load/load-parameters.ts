import { optionName } from '../library/option-name.ts';
import {
  LOAD_PARAMETERS,
  PARAMETER_NAMES,
  type LoadParameter,
  type LoadParameters,
  type ParameterName,
} from '../../contract/load-parameters.ts';
import { textsOf, type Flags, type OptionText } from '../shared/options/option-rows.ts';
import {
  asShare,
  durationWithin,
  integerWithin,
  oneOf,
  rateWithin,
  type ValueReader,
} from '../shared/options/values.ts';

/** Load parameters as the parser of the command line returns them. */
export type ParameterFlags = Flags<ParameterName>;

/** How values of each kind are written on the command line. */
const SYNTAX = {
  rate: { placeholder: 'n', note: '' },
  seconds: { placeholder: 'time', note: ': 10, 10s, 5m or 1h' },
  share: { placeholder: 'share', note: ': 0.2 or 20%' },
  count: { placeholder: 'n', note: '' },
} as const;

/** The options of the parameters that shape a load, or of those that are its ceilings. */
export function parameterRows({
  ceilings,
}: {
  readonly ceilings: boolean;
}): Readonly<Record<string, OptionText>> {
  return Object.fromEntries(
    PARAMETER_NAMES.flatMap((name) => {
      const parameter: LoadParameter = LOAD_PARAMETERS[name];
      if ((parameter.isCeiling ?? false) !== ceilings) {
        return [];
      }
      const { placeholder, note } =
        parameter.kind === 'choice'
          ? { placeholder: parameter.choices.join('|'), note: '' }
          : SYNTAX[parameter.kind];
      return [[name, { placeholder: `<${placeholder}>`, help: parameter.help + note }]];
    }),
  );
}

/** The parameters given on the command line. @throws {ConfigurationError} that names the option */
export function readParameters(flags: ParameterFlags): Partial<LoadParameters> {
  return Object.fromEntries(
    PARAMETER_NAMES.flatMap((name) => {
      const [text] = textsOf(flags[name]);
      return text === undefined
        ? []
        : [[name, readerOf(LOAD_PARAMETERS[name])(text, optionName(name))] as const];
    }),
  );
}

function readerOf(parameter: LoadParameter): ValueReader<number | string> {
  switch (parameter.kind) {
    case 'rate':
      return rateWithin(parameter.minimum, parameter.maximum);
    case 'seconds':
      return durationWithin(parameter.minimum, parameter.maximum);
    case 'share':
      return asShare;
    case 'count':
      return integerWithin(parameter.minimum, parameter.maximum);
    case 'choice':
      return oneOf(parameter.choices);
  }
}
