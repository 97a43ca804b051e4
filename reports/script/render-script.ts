import { LONGEST_TEMPORARY_SECONDS } from '../../contract/bans.ts';
import { authorizationName } from '../../contract/field-names.ts';
import { findRequirement } from '../../contract/requirements/index.ts';
import {
  keyLabel,
  keyVariable,
  type Trail,
  type TrailKey,
  type TrailRequest,
  type TrailStep,
} from '../../contract/trail.ts';
import type { RepeatableFinding } from '../model/findings.ts';
import { countText, printableLine, shellWord } from '../model/words.ts';
import { keyWord } from './key-word.ts';

const MOST_LINES = 60;

/** A script for a POSIX shell that sends what led to a finding with curl and shows the answers. It judges nothing. */
export function renderScript(finding: RepeatableFinding): string {
  const acts = actsOf(finding.trail);
  for (let shown = Math.min(acts.length, MOST_LINES); ; shown -= 1) {
    const text = `${scriptLines(finding, acts, shown).join('\n')}\n`;
    if (shown === 0 || text.split('\n').length <= MOST_LINES) {
      return text;
    }
  }
}

/** One line of the script, with the keys that it takes. */
interface Act {
  readonly line: string;
  readonly requests: number;
  readonly keys: readonly number[];
  /** Set if it makes ready what comes after it, so that it is kept however much is left out. */
  readonly prepares?: number | 'inventory';
}

/** @param last how many of the acts are shown */
function scriptLines(finding: RepeatableFinding, acts: readonly Act[], last: number): readonly string[] {
  const { id, target, control, trail } = finding;
  const shown = acts.slice(acts.length - last);
  const used = new Set(shown.flatMap(({ keys }) => keys));
  const left = acts.slice(0, acts.length - last);
  const inventory = left.findLast(({ prepares }) => prepares === 'inventory');
  const prepared = left.filter(
    (act) => act === inventory || (typeof act.prepares === 'number' && used.has(act.prepares)),
  );
  const requests = left.reduce((sum, act) => sum + act.requests, 0);
  const restoring = restoringLines(trail, [...used]);
  const lines = [
    ...prepared.map(({ line }) => line),
    ...(requests === 0
      ? []
      : [`# ${countText(requests, 'request')} came before these. stockcheck replay sends them, too.`]),
    ...shown.map(({ line }) => line),
    ...restoring,
  ];
  return [
    ...headLines(finding),
    '',
    ...(control === null ? [] : [`[ -n "$TARGET" ] || CONTROL=\${CONTROL-${shellWord(control)}}`]),
    `TARGET=\${TARGET:-${shellWord(target)}}`,
    ...keyLines(trail.keys, used),
    ...functionLines(lines),
    '',
    ...lines,
    '',
    `printf '\\nWhether that is right: npx stockcheck replay %s ${id} --target %s\\n' "$(dirname "$0")/.." "$TARGET"`,
  ];
}

function headLines({ requirement, title, clause, message, id }: RepeatableFinding): readonly string[] {
  const [quote] = findRequirement(requirement)?.quotes ?? [];
  return [
    '#!/bin/sh',
    `# ${requirement}: ${comment(title)}`,
    `# Specification, ${comment(clause)}${quote === undefined ? '' : `: "${comment(quote)}"`}`,
    `# Seen: ${comment(message)}`,
    '#',
    '# This script sends the requests and shows the answers. It judges nothing: whether the fault is there, this says:',
    `#   npx stockcheck replay REPORT ${id} --target URL`,
    '# TARGET sends the requests to another service; CONTROL is the control URL of that one, if it has any.',
    '# CURL_OPTIONS is what curl needs beside, such as -k.',
  ];
}

/** What a comment can say. */
function comment(text: string): string {
  return printableLine(text, 300);
}

/** Keys that the control URL issues have to be set only if there is none. */
function keyLines(keys: readonly TrailKey[], used: ReadonlySet<number>): readonly string[] {
  const own = keys.filter((_, index) => used.has(index + 1));
  const given = own.filter(({ issued, revoked }) => !issued && revoked !== true);
  const issued = own.filter((key) => !given.includes(key));
  return [
    ...given.map((key) => `: ${demand(key)}`),
    ...(issued.length === 0 ? [] : [`[ -n "$CONTROL" ] || : ${issued.map(demand).join(' ')}`]),
  ];
}

function demand(key: TrailKey): string {
  return `"\${${keyVariable(key.label)}:?set it to ${keyText(key)}}"`;
}

function keyText({ plan, label, perMinute, perDay, usedToday, revoked }: TrailKey): string {
  const limits =
    plan === 'enterprise' && perMinute !== null
      ? ` with ${perMinute} requests a minute and ${perDay} a day`
      : '';
  const used = usedToday === 0 ? '' : `, ${usedToday} requests of today used`;
  return revoked === true ? 'a key that was revoked' : `a key of the plan ${plan}${limits}${used} (${label})`;
}

const FUNCTIONS: readonly (readonly [name: string, lines: readonly string[]])[] = [
  [
    'control',
    [
      `control() { [ -z "$CONTROL" ] || curl -q -sS -f -m 30 -X "$1" \${3:+-H 'Content-Type: application/json' --data-raw "$3"} "$CONTROL$2"; }`,
    ],
  ],
  ['issue', [String.raw`issue() { control POST /keys "$1" | sed 's/.*"key"[^:]*:[^"]*"\([^"]*\)".*/\1/'; }`]],
  [
    'pause',
    [
      String.raw`pause() { { [ -n "$CONTROL" ] && control POST /clock "{\"advanceSeconds\":$1}" >/dev/null; } || sleep "$1"; }`,
    ],
  ],
  [
    'send',
    [
      "trap 'exit 1' TERM",
      '# send METHOD PATH [what curl takes]: shows the status, the fields on limits and the body.',
      'send() {',
      '  method=$1 path=$2',
      '  shift 2',
      '  answer=$(curl -q -sS -i -g --path-as-is -m 60 -X "$method" "$@" $CURL_OPTIONS "$TARGET$path") ||',
      '    case $? in 5 | 6 | 7) kill $$ ;; esac',
      String.raw`  printf '\n> %s %s\n%s\n' "$method" "$path" "$(printf '%s\n' "$answer" | tr -d '\r' |`,
      String.raw`    awk 'body || tolower($0) ~ /^(http\/|x-ratelimit|retry-after)/ { print substr($0, 1, 1000) } /^$/ { body = 1 }')"`,
      '}',
    ],
  ],
  ['repeat', ['repeat() { n=$1; shift; while [ "$n" -gt 0 ]; do "$@"; n=$((n - 1)); done; }']],
  ['background', ['background() { "$@" & }']],
];

/** Those that the lines need. */
function functionLines(lines: readonly string[]): readonly string[] {
  const text = lines.filter((line) => !line.startsWith('#')).join('\n');
  const isCalled = (name: string): boolean => new RegExp(`(?:^|[ (])${name} `, 'm').test(text);
  return FUNCTIONS.flatMap(([name, body]) =>
    isCalled(name) || (name === 'control' && (isCalled('issue') || isCalled('pause'))) ? body : [],
  );
}

function actsOf({ keys, steps }: Trail): readonly Act[] {
  const revoked = keys.flatMap((key, index): readonly Act[] =>
    key.revoked === true ? [revokedAct(key, index + 1)] : [],
  );
  return [...revoked, ...steps.flatMap((step) => stepActs(step, keys))];
}

function revokedAct({ label }: TrailKey, number: number): Act {
  const name = keyVariable(label);
  const line = `[ -z "$CONTROL" ] || { ${name}=$(issue '{"plan":"free"}'); control DELETE "/keys/$${name}"; }`;
  return { line, requests: 0, keys: [number], prepares: number };
}

function stepActs(step: TrailStep, keys: readonly TrailKey[]): readonly Act[] {
  const none = { requests: 0, keys: [] };
  switch (step.do) {
    case 'issue key': {
      const key = keys[step.key - 1];
      return key?.issued !== true
        ? []
        : [
            {
              line: `[ -z "$CONTROL" ] || ${keyVariable(key.label)}=$(issue ${shellWord(JSON.stringify(orderOf(key)))})`,
              requests: 0,
              keys: [step.key],
              prepares: step.key,
            },
          ];
    }
    case 'revoke key': {
      const line = `control DELETE "/keys/$${keyVariable(keyLabel(keys, step.key))}"`;
      return [{ ...none, line, keys: [step.key], prepares: step.key }];
    }
    case 'replace inventory': {
      const items = step.items.map(
        ({ petId, quantity, status }) =>
          `{"petId":${petId},"quantity":${quantity},"status":${JSON.stringify(status)}}`,
      );
      const line = `control PUT /inventory ${shellWord(`[${items.join(',')}]`)} # it is not put back`;
      const what = `PUT /inventory with ${countText(items.length, 'pet')}`;
      return [{ ...none, line: unlessLong(line, what), prepares: 'inventory' }];
    }
    case 'wait': {
      const seconds = Math.ceil(step.seconds);
      const line =
        step.seconds > LONGEST_TEMPORARY_SECONDS
          ? `# A wait of ${seconds} s follows, which is more than 31 days, so it is left out.`
          : `pause ${seconds}`;
      return [{ ...none, line }];
    }
    case 'send':
      return sendActs(step, keys);
  }
}

function sendActs(
  { requests, connections }: Extract<TrailStep, { readonly do: 'send' }>,
  keys: readonly TrailKey[],
): readonly Act[] {
  const isAtOnce = connections > 1;
  const acts = requests.map((request) => ({
    line: sendLine(request, keys, isAtOnce),
    requests: request.times,
    keys: keysOf(request),
  }));
  return isAtOnce ? [...acts, { line: 'wait', requests: 0, keys: [] }] : acts;
}

function orderOf({ plan, perMinute, perDay, usedToday }: TrailKey) {
  return {
    plan,
    ...(plan === 'enterprise' && perMinute !== null && perDay !== null ? { perMinute, perDay } : {}),
    ...(usedToday === 0 ? {} : { usedToday }),
  };
}

function sendLine(request: TrailRequest, keys: readonly TrailKey[], isAtOnce: boolean): string {
  const { method, path, headers, authorization, body, isBase64, times } = request;
  const fields = [
    ...authorization.map((value) => [authorizationName(headers), value] as const),
    ...headers,
    // Else curl says that a body is a form.
    ...(body === null || headers.some(([name]) => name.toLowerCase() === 'content-type')
      ? []
      : [['Content-Type', null] as const]),
  ];
  const data =
    body === null ? [] : isBase64 === true ? ['--data-binary', '@-'] : ['--data-raw', shellWord(body)];
  const words = [
    ...(times === 1 ? [] : ['repeat', times, ...(isAtOnce ? ['background'] : [])]),
    'send',
    shellWord(method),
    keyWord(path, keys),
    ...(method === 'HEAD' ? ['-I'] : []),
    ...fields.flatMap(([name, value]) => ['-H', fieldWord(name, value, keys)]),
    ...data,
    ...(isAtOnce && times === 1 ? ['&'] : []),
  ];
  const input = isBase64 === true ? `printf %s ${shellWord(body ?? '')} | base64 -d | ` : '';
  const what = `${times === 1 ? '' : `${times} times `}${comment(method)}`;
  // A second request would find nothing left of the body.
  return input !== '' && times > 1
    ? `# ${what} with a body that is no text is left out here. stockcheck replay sends it.`
    : unlessLong(`${input}${words.join(' ')}`, what);
}

/** As curl takes it, which removes a field that ends in a colon and sends an empty one that ends in a semicolon. */
function fieldWord(name: string, value: TrailRequest['path'] | null, keys: readonly TrailKey[]): string {
  const text = value === null ? [`${name}:`] : value === '' || value.length === 0 ? [`${name};`] : null;
  return keyWord(text ?? [`${name}: `, ...(typeof value === 'string' ? [value] : (value ?? []))], keys);
}

const LONGEST_LINE = 4_000;
const MOST_BREAKS = 10;

function unlessLong(line: string, what: string): string {
  return line.length > LONGEST_LINE || line.split('\n').length > MOST_BREAKS
    ? `# ${what} is too long for this script and left out here. stockcheck replay sends it.`
    : line;
}

function keysOf({ path, authorization, headers, key }: TrailRequest): readonly number[] {
  const presented = [path, ...authorization, ...headers.map(([, value]) => value)]
    .flatMap((text) => (typeof text === 'string' ? [] : text))
    .flatMap((part) => (typeof part === 'object' && 'base64' in part ? part.base64 : [part]))
    .flatMap((part) => (typeof part === 'object' ? [part.key] : []));
  return [...presented, ...(key === null ? [] : [key])];
}

const MOST_RESTORED = 4;

/** The target's own pets are put back with the first key. */
function restoringLines({ wrote, keys }: Trail, used: readonly number[]): readonly string[] {
  const key = keys.find(({ revoked }, index) => revoked !== true && used.includes(index + 1));
  return wrote.length === 0 || key === undefined
    ? []
    : [
        '# These put back what the trail changed.',
        ...wrote
          .slice(0, MOST_RESTORED)
          .map(
            ({ petId, quantity }) =>
              `send PATCH /inventory/${petId} -H "Authorization: Bearer $${keyVariable(key.label)}" -H 'Content-Type: application/json' --data-raw '{"quantity":${quantity}}'`,
          ),
        ...(wrote.length > MOST_RESTORED
          ? [`# ${countText(wrote.length - MOST_RESTORED, 'more pet')} may have to be put back.`]
          : []),
      ];
}
