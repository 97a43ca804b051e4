import type { RepeatableFinding } from '../model/repeatable.ts';
import { expectationCall } from './shell-expectation.ts';
import { comment, quote, shell } from './shell-words.ts';
import { WHOLE_RUN_SCRIPT } from './whole-run-script.ts';

/** stockcheck is asked what it alone can tell, and what may depend on which requests of several checks meet. */
function asks({ exploration, trail: { expectation, inWholeRun } }: RepeatableFinding): boolean {
  return expectation === null || inWholeRun !== undefined || exploration !== null;
}

/**
 * The functions that ask stockcheck, if it is installed here and the control URL issues the keys; what the answers alone
 * do not tell it is asked at once.
 */
export function askingLines(finding: RepeatableFinding): readonly string[] {
  const { id, trail } = finding;
  return !asks(finding)
    ? []
    : [
        ASKING_FUNCTIONS,
        '',
        ...(trail.expectation === null ? ['if can_ask; then', `  ask ${id}`, '  exit $?', 'fi', ''] : []),
      ];
}

// Not npx: where stockcheck is not installed, that asks a registry for it, which takes long on a machine without one.
const ASKING_FUNCTIONS = shell`
REPORT=$(dirname "$0")/../report.json
STOCKCHECK=$(command -v stockcheck)
FOLDER=$PWD
while [ -z "$STOCKCHECK" ] && [ -n "$FOLDER" ]; do
  [ ! -x "$FOLDER/node_modules/.bin/stockcheck" ] || STOCKCHECK=$FOLDER/node_modules/.bin/stockcheck
  FOLDER=§{FOLDER%/*}
done

# can_ask: whether stockcheck is there, and the control URL issues it keys.
can_ask() {
  can keys && [ -f "$REPORT" ] && [ -n "$STOCKCHECK" ] && "$STOCKCHECK" --version >/dev/null 2>&1
}

# ask FINDING
ask() {
  "$STOCKCHECK" replay "$REPORT" --finding "$1" --target "$TARGET" --control "$CONTROL" --profile full --quiet
}
`;

/** How the fault may show if the trail alone does not show it: by the whole run, then by all checks or all that was explored. */
export function otherWayLines(finding: RepeatableFinding): readonly string[] {
  return [...wholeRunLines(finding), ...performingLines(finding)];
}

/** If keys can be issued for what the other checks did. */
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

/** Requests of several checks may have to meet, which one request after the other never does; or much was sent before. */
function performingLines(finding: RepeatableFinding): readonly string[] {
  const { id, message, trail, exploration } = finding;
  if (trail.expectation === null || !asks(finding)) {
    return [];
  }
  const why =
    exploration === null
      ? 'It may depend on which requests meet'
      : 'It may depend on what was explored before';
  const what = exploration === null ? 'performs all checks' : 'explores the same again';
  return [
    'if can_ask; then',
    `  printf '${why}, so stockcheck ${what}.\\n' >&2`,
    `  ask ${id} >&2`,
    '  if [ $? = 1 ]; then',
    `    printf '%s\\n' ${quote(`The fault is there: ${comment(message)}`)}`,
    '    exit 1',
    '  fi',
    'else',
    `  printf '${why}: with a control URL, stockcheck replay report.json --finding ${id} ${what}.\\n' >&2`,
    'fi',
  ];
}
