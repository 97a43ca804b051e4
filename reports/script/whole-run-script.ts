import type { WholeRun } from '../../contract/trail.ts';
import { KEY_FUNCTIONS } from './shell-sending.ts';
import { stepLines } from './shell-steps.ts';
import { shell } from './shell-words.ts';

/** File name of the script that all findings with a place in the whole run share. */
export const WHOLE_RUN_SCRIPT = 'whole-run.sh';

/** The functions that the scripts of findings take from a file beside them to send what the whole run did. */
export function renderWholeRunScript(run: WholeRun): string {
  const trail = { ...run, expectation: null };
  const lines = [
    '# What all checks of the run did, in order. The scripts of findings beside this file read it.',
    '',
    KEY_FUNCTIONS,
    '',
    shell`
# is_to_come NUMBER: whether that answer is, and who watches a terminal sees how far it is.
is_to_come() {
  if [ -t 2 ]; then
    if [ "$LAST" -lt "$1" ]; then printf '\r%s of %s requests ' "$LAST" "$1" >&2; else printf '\r%s of %s requests\n' "$1" "$1" >&2; fi
  fi
  [ "$LAST" -lt "$1" ]
}`,
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
      ...(step.do === 'send' ? ['  is_to_come "$1" || return 0'] : []),
    ]),
    '}',
  ];
  return `${lines.join('\n')}\n`;
}
