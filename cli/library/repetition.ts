import { requirement, type RequirementId } from '../../contract/requirements/index.ts';
import { shellWord } from '../../reports/index.ts';
import { EXPLORE } from '../../contract/verdict.ts';
import { CHECKS, nameOfCheck, type ExplorationOrder } from '../../suites/verify/index.ts';

/** How a run is started again for one finding; in words for a POSIX shell that hold no secret. */
export interface Repetition {
  /** The command with its target and the options that decide what is sent and seen. */
  readonly command: string;
  /** Options of curl that reach the target in the same way. */
  readonly curlOptions: readonly string[];
}

/** The check that begins as the run does: with one request for the list. */
export const FIRST_CHECK = 'list';

/**
 * A line that runs a check again, and judges a requirement that it showed to be violated.
 * @param check that sent what showed it, or `null` for every check that may show it
 */
export function repeatLine(
  { command }: Repetition,
  id: RequirementId,
  check: string | null,
  decides: 'must' | 'should',
): string {
  const sender = CHECKS.find(({ id: name }) => name === check);
  const only =
    sender === undefined ? [id] : [nameOfCheck(sender), ...(sender.judges.includes(id) ? [] : [id])];
  const level = levelWords(id, decides);
  return `${command}${only.map((name) => ` --only ${name}`).join('')}${level}`;
}

/** A line that explores again with the same seed, and judges what was found. */
export function explorationLine(
  { command }: Repetition,
  id: RequirementId,
  { requests, seed }: ExplorationOrder,
  decides: 'must' | 'should',
): string {
  const level = levelWords(id, decides);
  return `${command} --explore ${requests} --seed ${seed} --only ${EXPLORE}${level}`;
}

/** Another level of the run has its own option there already. */
function levelWords(id: RequirementId, decides: 'must' | 'should'): string {
  return requirement(id).level === 'should' && decides === 'must' ? ' --level should' : '';
}

/** A line that plays a scenario of `certify` again. @param client the program and its arguments, if one was started */
export function scenarioLine({ command }: Repetition, scenario: string, client: readonly string[]): string {
  const program = client.length === 0 ? '' : ` -- ${client.map(shellWord).join(' ')}`;
  return `${command} --only ${scenario}${program}`;
}
