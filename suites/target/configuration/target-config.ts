import type { Profile } from '../../../contract/verdict.ts';
import { isInt64 } from '../../../contract/json/index.ts';
import { PLAN_LIMITS, PLANS, type Plan, type PlanLimits } from '../../../contract/plans.ts';
import type { DescribedKey, DescribedTarget } from '../../../contract/target-fields.ts';
import { ConfigurationError } from '../../../contract/configuration-error.ts';
import { newUsage, type KeyUsage } from '../../oracle/index.ts';
import { formatPath, schemaProblems, type FieldPath, type Problem } from './target-config-problems.ts';
import {
  matchesTargetConfig,
  type ConfiguredScenario,
  type RawTargetConfig,
} from './target-config-validator.ts';

interface ConfiguredKey {
  readonly key: string;
  readonly plan: Plan;
  /** In requests; `null` for an enterprise key whose limits were not given. */
  readonly limits: PlanLimits | null;
  /** What stands for the key in everything that is shown, such as `free#1`. */
  readonly label: string;
  /** What is known of its use, if other runs know it, too. */
  readonly usage?: KeyUsage;
}

/** The configuration for runs one after another, each of which knows how the keys were used by those before it. */
export function rememberingUse(config: TargetConfig): TargetConfig {
  return { ...config, keys: config.keys.map((key) => ({ ...key, usage: newUsage() })) };
}

/** A target configuration that was validated and completed. */
export interface TargetConfig {
  /** Without a slash at its end. */
  readonly target: string;
  readonly keys: readonly ConfiguredKey[];
  readonly revokedKeys: readonly string[];
  /** Without a slash at its end. */
  readonly control: string | null;
  /** The option, variable or file that gave it. */
  readonly controlFrom?: string;
  readonly pets: { readonly existing: readonly bigint[]; readonly missing: bigint | null };
  readonly profile: Profile;
  readonly load: { readonly scenarios: readonly ConfiguredScenario[] };
  /** The run started it: nobody else uses it, and it ends with the run. */
  readonly isOwn?: true;
}

/** Tells which option, variable or file a field came from. */
type SourceOf = (path: FieldPath) => string;

/**
 * Validates the JSON shape of a configuration file (target-config-schema.ts) and completes it.
 * @param source of the value, named in messages: one for all fields, or one for each
 * @param mayLackKeys whether it makes sense without any key
 * @throws {ConfigurationError} with one line for each problem; keys are never shown
 */
export function resolveTargetConfig(
  value: unknown,
  source?: string | SourceOf,
  mayLackKeys = false,
): TargetConfig {
  const validate = matchesTargetConfig();
  if (!validate(value)) {
    throw asError(schemaProblems(validate.errors ?? []), source);
  }
  const problems = [
    ...urlProblems(value),
    ...petProblems(value),
    ...repeatedValueProblems(allKeys(value)),
    ...(mayLackKeys ? [] : missingKeyProblems(value)),
  ];
  if (problems.length > 0) {
    throw asError(problems, source);
  }
  const target = withoutTrailingSlash(value.target);
  const control = value.control === undefined ? null : withoutTrailingSlash(value.control);
  const missing = value.pets?.missing;
  return {
    target,
    keys: PLANS.flatMap((plan) =>
      (value.keys?.[plan] ?? []).map((key, index) => configureKey(plan, key, index)),
    ),
    revokedKeys: value.revokedKeys ?? [],
    control,
    pets: {
      existing: (value.pets?.existing ?? []).map(BigInt),
      missing: missing === undefined ? null : BigInt(missing),
    },
    load: value.load ?? { scenarios: [] },
    profile: value.profile ?? (control !== null || isLoopback(target) ? 'full' : 'standard'),
  };
}

/** What is allowed in a configuration, but looks like a mistake. */
export function targetWarnings({ target, keys }: Pick<TargetConfig, 'target' | 'keys'>): readonly string[] {
  const exchanged = keys.filter(({ limits }) => limits !== null && limits.perDay < limits.perMinute);
  return [
    ...(target.endsWith('/v1')
      ? []
      : [`target ${target} does not end in /v1, as base addresses of the service do`]),
    ...exchanged.map(
      ({ label }) =>
        `the key ${label} has a smaller perDay than perMinute, so that its minute is never used up; they may be exchanged`,
    ),
  ];
}

/** Whether the host of a URL is this machine: localhost, 127.0.0.0/8 or ::1. */
export function isLoopback(url: string): boolean {
  const hostname = URL.parse(url)?.hostname ?? '';
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:[.]\d+){3}$/.test(hostname);
}

function asError(problems: readonly Problem[], source: string | SourceOf | undefined): ConfigurationError {
  const lines = problems.map(({ path, message }) => {
    const named = typeof source === 'function' ? source(path) : source;
    return named === undefined ? message : `${named}: ${message}`;
  });
  return new ConfigurationError(lines.join('\n'));
}

function configureKey(plan: Plan, raw: DescribedKey, index: number): ConfiguredKey {
  const label = `${plan}#${index + 1}`;
  if (typeof raw === 'string') {
    return { key: raw, plan, limits: plan === 'enterprise' ? null : PLAN_LIMITS[plan], label };
  }
  const { key, perMinute, perDay } = raw;
  return { key, plan, limits: { perMinute, perDay }, label };
}

function withoutTrailingSlash(url: string): string {
  return new URL(url).href.replace(/\/+$/, '');
}

function urlProblems({ target, control }: RawTargetConfig): readonly Problem[] {
  const urls: readonly (readonly [string, string | undefined])[] = [
    ['target', target],
    ['control', control],
  ];
  return urls.flatMap(([name, url]) =>
    url === undefined || URL.canParse(url)
      ? []
      : [{ path: [name], message: `${name} must be a URL with a valid host and port` }],
  );
}

type Located = readonly [path: FieldPath, value: string];

function petProblems({ pets }: RawTargetConfig): readonly Problem[] {
  const existing = (pets?.existing ?? []).map((id, index): Located => [['pets', 'existing', `${index}`], id]);
  const missing: readonly Located[] =
    pets?.missing === undefined ? [] : [[['pets', 'missing'], pets.missing]];
  const all = [...existing, ...missing];
  const misfits = all
    .filter(([, id]) => !isPetId(id))
    .map(([path, id]) => ({ path, message: `${formatPath(path)} must fit int64, and ${id} does not` }));
  return [...misfits, ...repeatedValueProblems(all)];
}

/** The schema also allows the name of a variable, for files that are still to be read. */
function isPetId(text: string): boolean {
  return /^-?\d+$/.test(text) && isInt64(BigInt(text));
}

function allKeys({ keys, revokedKeys }: RawTargetConfig): readonly Located[] {
  const valid = PLANS.flatMap((plan) =>
    (keys?.[plan] ?? []).map((raw, index): Located => [
      ['keys', plan, `${index}`],
      typeof raw === 'string' ? raw : raw.key,
    ]),
  );
  const revoked = (revokedKeys ?? []).map((key, index): Located => [['revokedKeys', `${index}`], key]);
  return [...valid, ...revoked];
}

function repeatedValueProblems(located: readonly Located[]): readonly Problem[] {
  const first = new Map<string, FieldPath>();
  return located.flatMap(([path, value]) => {
    const earlier = first.get(value);
    if (earlier === undefined) {
      first.set(value, path);
      return [];
    }
    return [{ path, message: `${formatPath(path)} is the same as ${formatPath(earlier)}` }];
  });
}

function missingKeyProblems({ keys, control }: RawTargetConfig): readonly Problem[] {
  const given = PLANS.some((plan) => (keys?.[plan] ?? []).length > 0);
  return given || control !== undefined
    ? []
    : [{ path: ['keys'], message: 'keys must hold at least one API key, unless there is a control URL' }];
}

/** A target in the shape of `stockcheck.config.json`; petIds are decimal strings. */
export type TargetDescription = Omit<DescribedTarget, 'profile'> & {
  /** `safe`, `standard` or `full`; a string, so that an imported JSON file fits. */
  readonly profile?: string;
};
