import type { SeedKey } from '../../fixtures/corpora/index.ts';
import { withoutPassword } from '../shared/options/values.ts';
import type { Likeness, Twin } from '../library/twin/twin.ts';
import { countText, observationText } from '../../reports/index.ts';
import type { ServeOptions } from './options.ts';

/** What a user needs to know of a server that is ready; `controlUrl` is '' if there is none. */
export function describeServer(
  url: string,
  controlUrl: string,
  keys: readonly SeedKey[],
  differences: readonly (readonly [name: string, value: string])[] = [],
): string {
  const firstKey = keys.find(({ revoked }) => revoked !== true);
  const judging = [
    `stockcheck verify ${url}`,
    ...(firstKey === undefined ? [] : [`--key '${firstKey.plan}=${firstKey.key}'`]),
    ...(controlUrl === '' ? [] : [`--control ${controlUrl}`]),
  ];
  const rows = [
    ['target', url],
    ['control', controlUrl === '' ? 'none' : controlUrl],
    ...keys.map(({ key, plan, revoked }) => [revoked === true ? 'revoked key' : `${plan} key`, key] as const),
    ...differences,
    ['judge it', judging.join(' ')],
    ['stop it', 'Ctrl-C'],
  ] as const;
  return rows.map(([name, value]) => `${name.padEnd(15)} ${value}\n`).join('');
}

/** What a server shares with others, and what it does otherwise than the reference. */
export function differences({
  store,
  workers,
  variants,
  faults,
  like,
  latency,
}: ServeOptions): readonly (readonly [string, string])[] {
  return [
    ...(store === null
      ? []
      : [['store', `${withoutPassword(store.url)}, namespace ${store.namespace}`] as const]),
    ...(workers === null ? [] : [['processes', `${workers}`] as const]),
    ...(like === null ? [] : likeRows(like)),
    ...(latency === 0 ? [] : [['latency', `${latency} ms more`] as const]),
    ...variants.map(({ id, title }) => ['variant', `${id}: ${title}`] as const),
    ...faults.map(({ id, title, breaks }) => ['fault', `${id}: ${title} (breaks ${breaks})`] as const),
  ];
}

/** What a twin has of the service that it was made from, and what it lacks. */
function likeRows({ path, twin }: Likeness): readonly (readonly [string, string])[] {
  const { ban, compared, unlike, kept, untold } = twin;
  return [
    ['like', `${path}: ${compared - unlike.length} of ${compared} observations alike`],
    ...(ban === null ? [] : [['ban', ban === false ? 'none' : banText(ban)] as const]),
    ...unlike.map(({ name, seen }) => ['unlike', `${name} was ${observationText(seen)} there`] as const),
    ...kept.map((id) => ['unlike', `${id} was violated there; the twin keeps it`] as const),
    ...(untold.length === 0 ? [] : [['not told apart', untold.join(', ')] as const]),
  ];
}

function banText({ afterRefused, seconds, status }: Exclude<Twin['ban'], null | false>): string {
  return [
    ...(afterRefused === undefined ? [] : [`after ${countText(afterRefused, 'continued request')}`]),
    ...(seconds === undefined ? [] : [`for ${seconds} s`]),
    ...(status === undefined ? [] : [`answered ${status}`]),
  ].join(', ');
}
