import { findRequirement, REQUIREMENTS, type Requirement } from '../../contract/requirements/index.ts';
import { CLIENT_JUDGES, HERD_JUDGE, SCENARIOS } from '../../suites/certify/index.ts';
import { HISTORY_MONITORS, MONITORS } from '../../suites/oracle/index.ts';
import { CHECKS, mayJudge } from '../../suites/verify/index.ts';
import { renderId } from './run.ts';

/**
 * The register as JSON, or what an id names of it: a requirement, a check, a monitor or an area.
 * @throws {ConfigurationError} if the id names nothing
 */
export function registerJson(id: string | null): string {
  const rows = id === null ? REQUIREMENTS : rowsOf(id);
  const register = { schemaVersion: 1, kind: 'register', requirements: rows.map(describe) };
  return `${JSON.stringify(register, null, 2)}\n`;
}

function rowsOf(id: string): readonly Requirement[] {
  // It knows which ids there are, and what to say of another one.
  renderId(id, false);
  const own = findRequirement(id);
  return REQUIREMENTS.filter(
    (row) => row === own || row.area === id || judgesOf(row).some((judge) => judge === id),
  );
}

function judgesOf({ id }: Requirement): readonly string[] {
  return [
    ...CHECKS.filter((check) => mayJudge(check, id)),
    ...[...MONITORS, ...HISTORY_MONITORS].filter(({ judges }) => judges.includes(id)),
    ...[...CLIENT_JUDGES, HERD_JUDGE].filter(({ judges }) => judges.includes(id)),
  ].map((judge) => judge.id);
}

function describe(row: Requirement) {
  const scenarios = SCENARIOS.filter(({ judges }) => judges.includes(row.id)).map(({ id }) => id);
  return { ...row, judgedBy: judgesOf(row), scenarios };
}
