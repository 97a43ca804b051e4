import { resolveTargetConfig, type TargetConfig } from '../../../suites/target/index.ts';
import type { Surroundings } from '../options/option-rows.ts';
import { commandLineSettings, environmentSettings, type TargetFlags } from './settings.ts';
import type { FieldOption } from '../../../contract/target-fields.ts';
import type { Flags } from '../options/option-rows.ts';

/** What the user says of the service whose traffic is judged: nothing of it is needed. */
export interface TrafficTarget {
  /** The base address, without a slash at its end; `null` if it is to be found in the traffic. */
  readonly base: string | null;
  readonly keys: TargetConfig['keys'];
}

// Stands for an address that is still to be found, so that keys are validated as they are everywhere.
const UNKNOWN_ADDRESS = 'http://service.invalid/v1';

/**
 * @param named what messages call the base address
 * @throws {ConfigurationError} that names the option or variable
 */
export function readTrafficTarget(
  target: string | undefined,
  flags: Flags<FieldOption> & TargetFlags,
  { environment }: Pick<Surroundings, 'environment'>,
  named = 'TARGET',
): TrafficTarget {
  const settings = new Map([...environmentSettings(environment), ...commandLineSettings(target, flags)]);
  const base = settings.get('target')?.value;
  const given = [...settings].filter(([field]) => field.startsWith('keys.'));
  const hasKeys = given.length > 0;
  const sourceOf = (path: readonly (string | number)[]): string =>
    path[0] === 'target' && target !== undefined
      ? named
      : ((settings.get(path.slice(0, 2).join('.')) ?? settings.get(String(path[0])))?.source ?? '--key');
  const config = resolveTargetConfig(
    {
      target: base ?? UNKNOWN_ADDRESS,
      // A key is not needed, but what takes its place has to look like one.
      keys: hasKeys
        ? Object.fromEntries(given.map(([field, { value }]) => [field.slice('keys.'.length), value]))
        : { free: ['none'] },
    },
    sourceOf,
  );
  return { base: base === undefined ? null : config.target, keys: hasKeys ? config.keys : [] };
}
