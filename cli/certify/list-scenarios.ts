import type { ClientScenario } from '../../suites/certify/index.ts';

/** The client scenarios, a line each. */
export function listScenarios(scenarios: readonly ClientScenario[]): string {
  const width = Math.max(...scenarios.map(({ id }) => id.length));
  return scenarios.map(({ id, title }) => `${id.padEnd(width)}  ${title}\n`).join('');
}

/** The client scenarios and what they judge, as JSON. */
export function scenariosJson(scenarios: readonly ClientScenario[]): string {
  const rows = scenarios.map(({ id, title, judges }) => ({ id, title, judges }));
  return `${JSON.stringify({ schemaVersion: 1, kind: 'client-scenarios', scenarios: rows }, null, 2)}\n`;
}
