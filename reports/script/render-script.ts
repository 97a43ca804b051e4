import { authorizationName } from '../../contract/field-names.ts';
import {
  keepsPace,
  partsOf,
  type KeyPiece,
  type KeyText,
  type Trail,
  type TrailExpectation,
  type TrailKey,
  type TrailRequest,
  type TrailStep,
  type WholeRun,
} from '../../contract/trail.ts';
import type { RepeatableFinding } from '../model/repeatable.ts';
import { printableLine } from '../wording/printable.ts';
import { JUDGES } from './shell-judges.ts';
import { JSON_FUNCTIONS, READING_FUNCTIONS } from './shell-reading.ts';
import { KEY_FUNCTIONS, SENDING_FUNCTIONS } from './shell-sending.ts';

/** A script for a POSIX shell that sends a trail again with curl, and exits 1 while the fault is there. */
export function renderScript(finding: RepeatableFinding): string {
  const { title, clause, message, trail, target, control } = finding;
  const isIssued = trail.keys.some(({ issued }) => issued);
  const lines = [
    '#!/bin/sh',
    `# ${comment(title)} (${comment(clause)})`,
    `# Seen: ${comment(message)}`,
    '#',
    '# Sends again what led there. It exits 1 while the fault is there, 0 once it is gone, 2 if a key is missing, and 3 if',
    '# it could not be carried out. These variables change where it goes:',
    '#   TARGET    base address of the service',
    '#   CONTROL   control URL; empty if there is none',
    ...trail.keys.map((key, index) => keyComment(key, index + 1, isIssued && control !== null)),
    '#   ATTEMPTS  how often the trail is sent until the fault shows',
    '#   CURL_OPTIONS  what curl needs beside, such as -k',
    '',
    `[ -n "$TARGET" ] || TARGET=${quote(target)}`,
    ['CONTROL=$', `{CONTROL-${quote(isIssued ? (control ?? '') : '')}}`].join(''),
    `[ -n "$ATTEMPTS" ] || ATTEMPTS=${trail.attempts}`,
    '',
    SENDING_FUNCTIONS,
    '',
    READING_FUNCTIONS,
    ...(takesPieces(trail) ? ['', KEY_FUNCTIONS] : []),
    ...judgeOf(trail.expectation),
    '',
    '# What led to the finding. The times are those of the run that found it.',
    `KEEPS_PACE=${keepsPace(trail) ? 1 : ''}`,
    'trail() {',
    '  begin',
    ...(trail.startedAt === null ? [] : [`  same_time_of_day ${trail.startedAt}`]),
    '  set_moment 0',
    ...trail.keys.flatMap(({ revoked }, index) => (revoked === true ? [`  revoked_key ${index + 1}`] : [])),
    ...trail.steps.flatMap((step) => stepLines(step, trail).map((line) => `  ${line}`)),
    '}',
    '',
    ...wroteLines(trail),
    ...askingLines(finding),
    'attempt=0',
    'while [ "$attempt" -lt "$ATTEMPTS" ]; do',
    '  attempt=$(($attempt + 1))',
    ...(trail.attempts === 1 || !isIssued ? [] : ['  [ "$attempt" = 1 ] || shift_attempts']),
    '  trail',
    ...(takesPieces(trail) ? ['  [ -n "$IS_ALTERED" ] || continue'] : []),
    ...(trail.expectation === null
      ? [`  stop 3 ${quote(`Only stockcheck can tell: ${whoTells(finding)}`)}`]
      : [
          `  if ! ${expectationCall(trail.expectation)}; then`,
          `    printf '%s\\n' ${quote(`The fault is there: ${comment(message)}`)}`,
          '    exit 1',
          '  fi',
        ]),
    'done',
    ...wholeRunLines(finding),
    "printf 'The fault was not seen.\\n'",
  ];
  return `${lines.join('\n')}\n`;
}

/** What stockcheck alone can tell, it is asked, if it is installed here and the control URL issues the keys. */
function askingLines({ id, trail: { expectation } }: RepeatableFinding): readonly string[] {
  return expectation !== null
    ? []
    : [
        'REPORT=$(dirname "$0")/../report.json',
        'STOCKCHECK=stockcheck',
        "command -v stockcheck >/dev/null || STOCKCHECK='npx --no -- stockcheck'",
        'if can keys && [ -f "$REPORT" ] && $STOCKCHECK --version >/dev/null 2>&1; then',
        `  $STOCKCHECK replay "$REPORT" --finding ${id} --target "$TARGET" --control "$CONTROL" --profile full --quiet`,
        '  exit $?',
        'fi',
        '',
      ];
}

/** File name of the script that all findings with a place in the whole run share. */
export const WHOLE_RUN_SCRIPT = 'whole-run.sh';

/** If the trail alone does not show the fault, and keys can be issued for what the other checks did. */
function wholeRunLines({ message, trail: { inWholeRun }, wholeRun }: RepeatableFinding): readonly string[] {
  const { until = 0, expectation = null } = inWholeRun ?? {};
  return wholeRun === null || expectation === null
    ? []
    : [
        `WHOLE_RUN=$(dirname "$0")/${WHOLE_RUN_SCRIPT}`,
        'if can keys && [ -f "$WHOLE_RUN" ]; then',
        "  printf 'The trail alone did not show the fault. Other checks may have had a part in it, so what the whole run did is sent again.\\n' >&2",
        '  . "$WHOLE_RUN"',
        `  whole_run ${until}`,
        `  if [ -n "$IS_ALTERED" ] && ! ${expectationCall(expectation)}; then`,
        `    printf '%s\\n' ${quote(`The fault is there: ${comment(message)}`)}`,
        '    exit 1',
        '  fi',
        'fi',
      ];
}

/** The functions that the scripts of findings take from a file beside them to send what the whole run did. */
export function renderWholeRunScript(run: WholeRun): string {
  const trail = { ...run, expectation: null };
  const lines = [
    '# What all checks of the run did, in order. The scripts of findings beside this file read it.',
    '',
    KEY_FUNCTIONS,
    '',
    '# whole_run NUMBER: sends everything again until that answer is there.',
    'whole_run() {',
    '  begin',
    '  ! can inventory || keep_inventory',
    ...(run.startedAt === null ? [] : [`  same_time_of_day ${run.startedAt}`]),
    '  set_moment 0',
    ...run.keys.flatMap(({ revoked }, index) =>
      revoked === true ? [`  KEY_${index + 1}=`, `  revoked_key ${index + 1}`] : [],
    ),
    ...run.steps.flatMap((step) => [
      ...stepLines(step, trail).map((line) => `  ${line}`),
      ...(step.do === 'send' ? ['  [ "$LAST" -lt "$1" ] || return 0'] : []),
    ]),
    '}',
  ];
  return `${lines.join('\n')}\n`;
}

/** A check judges more than the answers to what it sent. */
function whoTells({ id, requirement, trail: { isOracles } }: RepeatableFinding): string {
  return isOracles === true
    ? `stockcheck replay report.json --finding ${id} --target URL`
    : `stockcheck verify URL --only ${requirement}`;
}

function comment(text: string): string {
  return printableLine(text, 300);
}

function keyComment(
  { plan, label, perMinute, perDay, usedToday, revoked }: TrailKey,
  number: number,
  isIssued: boolean,
): string {
  const limits =
    plan === 'enterprise' && perMinute !== null
      ? ` with ${perMinute} requests a minute and ${perDay} a day`
      : '';
  const used = usedToday === 0 ? '' : `, ${usedToday} requests of today used`;
  const what =
    revoked === true ? 'a key that was revoked' : `a key of the plan ${plan}${limits}${used} (${label})`;
  return `#   KEY_${number}     ${what}${isIssued && revoked !== true ? '; the control URL issues it' : ''}`;
}

function takesPieces({ steps }: Trail): boolean {
  return steps.some(
    (step) =>
      step.do === 'send' &&
      step.requests.some(({ path, authorization, headers }) =>
        [path, ...authorization, ...headers.map(([, value]) => value)].some((text) =>
          partsOf(text).some(isPiece),
        ),
      ),
  );
}

function isPiece(part: ReturnType<typeof partsOf>[number]): boolean {
  return (
    typeof part === 'object' &&
    ('base64' in part || part.from !== undefined || part.to !== undefined || part.as !== undefined)
  );
}

function judgeOf(expectation: TrailExpectation | null): readonly string[] {
  if (expectation === null) {
    return [];
  }
  const isOfJson = expectation.expect === 'form' || expectation.expect === 'pet';
  return [...(isOfJson ? ['', JSON_FUNCTIONS] : []), JUDGES[expectation.expect]];
}

const UNBOUNDED = 999_999_999;

function noneOfCall({
  answer,
  noneOf,
  refused,
}: Extract<TrailExpectation, { readonly noneOf: readonly string[] }>): string {
  const call = `expect_none_of ${quote(noneOf.join(' '))} ${answer}-${answer}`;
  return refused === undefined ? call : `after_refusal ${refused} ${call}`;
}

function expectationCall(expectation: TrailExpectation): string {
  switch (expectation.expect) {
    case 'response':
      return `expect_response ${expectation.answer}`;
    case 'status':
      return 'oneOf' in expectation
        ? `expect_one_of ${quote(expectation.oneOf.join(' '))} ${rowWords(expectation.answers)}`
        : noneOfCall(expectation);
    case 'field': {
      const { answer, name, matches, isOptional, statuses } = expectation;
      const need = isOptional === true ? 'optional' : 'needed';
      return ['expect_field', answer ?? 'every', name, quote(matches), need, ...statuses].join(' ');
    }
    case 'number':
      return `expect_number ${expectation.answer} ${expectation.name} ${expectation.least} ${expectation.most}`;
    case 'granted': {
      const { least = 0, most = UNBOUNDED, within = UNBOUNDED, isOneWindow = false, answers } = expectation;
      return `expect_granted ${least} ${most} ${within} ${isOneWindow ? 'one' : 'any'} ${rowWords(answers)}`;
    }
    case 'limited':
      return `expect_limited ${expectation.most} ${rowWords(expectation.answers)}`;
    case 'fall':
      return `expect_fall ${expectation.from} ${expectation.to} ${expectation.most}`;
    case 'different remaining':
      return `expect_different ${rowWords(expectation.answers)}`;
    case 'near reset':
      return `expect_near_reset ${expectation.answer} ${quote(expectation.perDay === null ? '' : String(expectation.perDay))}`;
    case 'form':
      return `expect_form ${quote(expectation.form)}`;
    case 'pet': {
      const { answer, petId, isThere, quantities = [], status = '', granted = [] } = expectation;
      return `expect_pet ${answer} ${quote(petId)} ${isThere ? 'there' : 'absent'} ${quote(quantities.join(' '))} ${quote(status)} ${rowWords(granted)}`.trimEnd();
    }
  }
}

function rowWords(rows: readonly (readonly [number, number])[]): string {
  return rows.map(([from, to]) => `${from}-${to}`).join(' ');
}

function stepLines(step: TrailStep, trail: Pick<Trail, 'keys' | 'expectation'>): readonly string[] {
  const { keys } = trail;
  switch (step.do) {
    case 'issue key': {
      const key = keys[step.key - 1];
      return key === undefined
        ? []
        : [`issue ${step.key} ${key.plan} ${quote(key.label)} ${quote(JSON.stringify(orderOf(key)))}`];
    }
    case 'revoke key':
      return [`revoke ${step.key}`];
    case 'replace inventory':
      return [`replace_inventory ${quote(`[${step.items.map(itemText).join(',')}]`)}`];
    case 'wait':
      return waitLines(step, keepsPace(trail));
    case 'send':
      return [`at ${(step.at / 1000).toFixed(3)}`, ...step.requests.map(sendLine), `go ${step.connections}`];
  }
}

function waitLines(
  { at, seconds, told, outlasts }: Extract<TrailStep, { readonly do: 'wait' }>,
  isPaced: boolean,
): readonly string[] {
  const end = (at / 1000 + seconds).toFixed(3);
  if (told !== undefined) {
    return [`wait_as_told ${told} ${seconds}`, `set_moment ${end}`];
  }
  if (outlasts !== undefined && !isPaced) {
    return [`wait_as_told ${outlasts} ${seconds} or-longer`, `set_moment ${end}`];
  }
  return [isPaced ? `pause_until ${end}` : `pause ${seconds}`];
}

function orderOf({ plan, perMinute, perDay, usedToday }: TrailKey) {
  return {
    plan,
    ...(plan === 'enterprise' && perMinute !== null && perDay !== null ? { perMinute, perDay } : {}),
    ...(usedToday === 0 ? {} : { usedToday }),
  };
}

function itemText({ petId, quantity, status }: { petId: string; quantity: string; status: string }): string {
  return `{"petId":${petId},"quantity":${quantity},"status":${JSON.stringify(status)}}`;
}

function sendLine({
  operation,
  key,
  times,
  method,
  path,
  body,
  isBase64,
  authorization,
  headers,
}: TrailRequest): string {
  const form = body === null ? 'none' : isBase64 === true ? 'base64' : 'text';
  const fields = [
    ...authorization.map((value) => [`${authorizationName(headers)}: `, ...partsOf(value)]),
    ...headers.map(([name, value]) => [`${name}: `, ...partsOf(value)]),
  ];
  return [
    'send',
    operation ?? 'none',
    key ?? 0,
    times,
    quote(method),
    word(path),
    form,
    quote(body ?? ''),
    ...fields.map(word),
  ].join(' ');
}

/** One word for a POSIX shell, with the variables of the keys in it. */
function word(text: KeyText): string {
  const words = joined(partsOf(text)).map((part) =>
    typeof part === 'object' && 'base64' in part
      ? `"$(in_base64 ${part.base64.map(partWord).join('')})"`
      : partWord(part),
  );
  return words.length === 0 ? "''" : words.join('');
}

/** Without two texts in a row. */
function joined(parts: ReturnType<typeof partsOf>): ReturnType<typeof partsOf> {
  const all: ReturnType<typeof partsOf>[number][] = [];
  for (const part of parts) {
    const last = all.at(-1);
    if (typeof part === 'string' && typeof last === 'string') {
      all.splice(-1, 1, last + part);
    } else {
      all.push(part);
    }
  }
  return all;
}

function partWord(part: string | KeyPiece): string {
  if (typeof part === 'string') {
    return quote(part);
  }
  const { key, from, to, as } = part;
  return from === undefined && to === undefined && as === undefined
    ? `"$KEY_${key}"`
    : `"$(piece "$KEY_${key}" ${from ?? 0} ${quote(to === undefined ? '' : String(to))} ${as ?? 'as_it_is'})"`;
}

/** The target's own pets are put back with the first key. */
function wroteLines({ wrote, keys }: Trail): readonly string[] {
  const first = keys.findIndex(({ revoked }) => revoked !== true) + 1;
  return wrote.length === 0 || first === 0
    ? []
    : [
        'put_back_pets() {',
        ...wrote.map(
          ({ petId, quantity }) =>
            `  curl -q -sS -f -o /dev/null -X PATCH -H "Authorization: Bearer $KEY_${first}" -H 'Content-Type: application/json' -d '{"quantity":${quantity}}' $CURL_OPTIONS "$TARGET/inventory/${petId}" || printf 'Pet ${petId} was not set back to ${quantity}.\\n' >&2`,
        ),
        '}',
        'PUT_BACK=put_back_pets',
        '',
      ];
}

function quote(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
