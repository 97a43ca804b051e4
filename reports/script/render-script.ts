import { keepsPace, type Trail, type TrailKey } from '../../contract/trail.ts';
import type { RepeatableFinding } from '../model/repeatable.ts';
import { askingLines, otherWayLines } from './other-ways.ts';
import { expectationCall, judgeOf } from './shell-expectation.ts';
import { READING_FUNCTIONS } from './shell-reading.ts';
import { KEY_FUNCTIONS, SENDING_FUNCTIONS } from './shell-sending.ts';
import { stepLines, takesPieces } from './shell-steps.ts';
import { comment, quote } from './shell-words.ts';

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
    '  [ ! -t 2 ] || [ "$ATTEMPTS" = 1 ] || printf \'Attempt %s of at most %s\\n\' "$attempt" "$ATTEMPTS" >&2',
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
    ...otherWayLines(finding),
    "printf 'The fault was not seen.\\n'",
  ];
  return `${lines.join('\n')}\n`;
}

/** A check judges more than the answers to what it sent. */
function whoTells({ id, requirement, trail: { isOracles } }: RepeatableFinding): string {
  return isOracles === true
    ? `stockcheck replay report.json --finding ${id} --target URL`
    : `stockcheck verify URL --only ${requirement}`;
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
