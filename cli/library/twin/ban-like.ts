import type { Observation } from '../../../reports/index.ts';

/** The rule of a ban as `serve` takes it, or `false` for a service that bans nobody. */
export type BanLike =
  | false
  | {
      /** Requests refused after a 429 before the ban comes. */
      readonly afterRefused?: number;
      readonly seconds?: number;
      readonly status?: 401 | 403 | 429;
    };

/** Seconds that stand for the lengths that are observed. */
const LENGTHS: Readonly<Record<string, number>> = {
  'under 10 s': 5,
  'up to a minute': 60,
  'up to 5 minutes': 300,
  'up to an hour': 3_600,
  'up to a day': 86_400,
  'more than a day': 7 * 86_400,
};

/**
 * The rule of a ban that brings about what was observed of it and is still open.
 * @returns what it explains, or `null` if nothing of a ban is open
 */
export function banLike(
  observations: Readonly<Record<string, Observation>>,
  open: ReadonlySet<string>,
): { readonly rule: BanLike; readonly explains: readonly string[] } | null {
  const seen = (name: string): string | null => (open.has(name) ? String(observations[name]) : null);
  const threshold = seen('ban-threshold');
  if (threshold?.startsWith('more than ') === true) {
    return {
      rule: false,
      explains: [...open].filter((name) => name.startsWith('ban-') || name === 'body-of-ban'),
    };
  }
  const afterRefused = numberIn(threshold, /^within (\d+) continued requests$/);
  const length = seen('ban-length') ?? '';
  const seconds = LENGTHS[length] ?? numberIn(length, /^over after a wait of (\d+) s$/);
  const status = ([401, 403, 429] as const).find((value) => String(value) === seen('ban-status'));
  const found = [
    ['ban-threshold', afterRefused],
    ['ban-length', seconds],
    ['ban-status', status],
  ] as const;
  const explains = found.flatMap(([name, value]) => (value === undefined ? [] : [name]));
  return explains.length === 0
    ? null
    : {
        rule: {
          ...(afterRefused === undefined ? {} : { afterRefused }),
          ...(seconds === undefined ? {} : { seconds }),
          ...(status === undefined ? {} : { status }),
        },
        explains,
      };
}

function numberIn(text: string | null, pattern: RegExp): number | undefined {
  const digits = pattern.exec(text ?? '')?.[1];
  return digits === undefined ? undefined : Number(digits);
}
