import type { ParameterFlags } from './load-parameters.ts';
import type { TargetFlags } from '../shared/configuration/settings.ts';

/** The options of `load` as the parser of the command line returns them. */
export interface LoadFlags extends TargetFlags, ParameterFlags {
  readonly scenario?: readonly string[];
  readonly maxRequests?: string;
  readonly threshold?: readonly string[];
  readonly iMayLoad?: string;
  readonly baseline?: string;
  readonly tolerance: string;
  readonly openmetrics?: string;
  readonly json?: string;
  readonly report?: string;
  readonly level: string;
  readonly live?: string | true;
  readonly dryRun?: boolean;
  readonly quiet?: boolean;
  readonly insecure?: boolean;
  readonly ca?: string;
  readonly timeout: string;
  readonly header?: readonly string[];
  readonly fleet?: string;
  readonly fleetWorkers?: string;
}
