import { ConfigurationError } from '../../contract/configuration-error.ts';
import { requestsOfTrail } from '../../contract/trail.ts';
import { forOneReport } from '../shared/options/shared-options.ts';
import { loadConfiguration } from '../shared/configuration/configuration.ts';
import { readOptions, textsOf, type Flags, type Surroundings } from '../shared/options/option-rows.ts';
import { REPLAY_OPTIONS } from './command.ts';
import { findRequirement, type RequirementId } from '../../contract/requirements/index.ts';
import { closestName } from '../../contract/words/closest-name.ts';
import { type Report, repeatableFindings, type RepeatableFinding } from '../../reports/index.ts';
import { readReportFile } from '../shared/files/report-file.ts';
import { buildHistoryReport, readHistory } from '../verify/traffic.ts';

/** What `stockcheck replay` was asked for, validated. `config` is `null` for the embedded reference server. */
export type ReplayOptions = ReturnType<typeof readReplayOptions>;

/** @throws {ConfigurationError} that names the file, option, variable or field */
export function readReplayOptions(
  [file = '', id]: readonly string[],
  flags: Flags<keyof typeof REPLAY_OPTIONS>,
  surroundings: Surroundings,
) {
  const { target, ...given } = forOneReport(readOptions(REPLAY_OPTIONS, flags, surroundings));
  const finding = readFinding(file, id ?? null);
  const isSelf = textsOf(flags.self).length > 0;
  const isElsewhere = target !== null || flags.config !== undefined;
  const ownControl =
    isSelf || isElsewhere || flags.control !== undefined || finding.control === null
      ? {}
      : { control: finding.control };
  const url = target ?? (isSelf || isElsewhere ? undefined : finding.target);
  const { config, profile, warnings } = loadConfiguration(
    url,
    { ...flags, ...ownControl },
    surroundings,
    true,
  );
  if (config !== null && config.keys.length === 0 && config.control === null) {
    refuseWithoutKey(finding);
  }
  return { ...given, finding, config, profile, warnings };
}

/** @throws {ConfigurationError} that says why, if the finding takes a key */
function refuseWithoutKey({ id, trail: { keys, steps } }: FindingToReplay): void {
  const requests = requestsOfTrail({ steps });
  const isCarriedOut = requests.some(
    ({ method, answers }) =>
      method !== 'GET' && answers.some(({ status }) => status === null || status < 400),
  );
  const reason =
    keys.length > 0
      ? `requests with a key led to ${id}`
      : isCarriedOut
        ? `an update without a key led to ${id}, and what the target carries out is read before, and put back, with a key`
        : null;
  if (reason !== null) {
    throw new ConfigurationError(`--key: ${reason}; give one, or a control URL that issues keys (--control)`);
  }
}

/** A finding to repeat, of a requirement that this version knows. */
export type FindingToReplay = RepeatableFinding & { readonly requirement: RequirementId };

/** What a report says failed, or a history once it is judged again. */
function readReportOrHistory(path: string): Report {
  const history = readHistory(path, path);
  return history === null
    ? readReportFile(path, path)
    : buildHistoryReport(history, {
        level: 'should',
        startedAt: new Date(),
        durationSeconds: 0,
      });
}

/**
 * Reads a finding with its trail.
 * @param path a report as JSON, a folder of `--report`, or a history of `--history`
 * @param id which finding; it may be `null` if there is only one
 * @throws {ConfigurationError} if there is none
 */
function readFinding(path: string, id: string | null): FindingToReplay {
  const found = repeatableFindings(readReportOrHistory(path));
  const [first] = found;
  if (first === undefined) {
    throw new ConfigurationError(`${path} holds no finding with a trail, so there is nothing to send again`);
  }
  const ids = found.map((one) => one.id);
  const chosen = id === null && found.length === 1 ? first : found.find((one) => one.id === id);
  if (id === null && chosen === undefined) {
    throw new ConfigurationError(`ID is missing: ${path} holds ${listOf(ids)}`);
  }
  if (chosen === undefined) {
    const closest = closestName(id ?? '', ids);
    const hint = closest === undefined ? ` It holds ${listOf(ids)}.` : ` Did you mean ${closest}?`;
    throw new ConfigurationError(`${id}: ${path} holds no such finding with a trail.${hint}`);
  }
  const requirement = findRequirement(chosen.requirement)?.id;
  if (requirement === undefined) {
    throw new ConfigurationError(`${path}: this version knows no requirement ${chosen.requirement}`);
  }
  return { ...chosen, requirement };
}

const MOST_LISTED = 20;

function listOf(ids: readonly string[]): string {
  const more = ids.length > MOST_LISTED ? ` and ${ids.length - MOST_LISTED} more` : '';
  return `${ids.slice(0, MOST_LISTED).join(', ')}${more}`;
}
