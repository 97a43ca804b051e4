import { LOAD_SCENARIOS } from '../../load/index.ts';

/** What `load --list` prints: each scenario with its parameters and thresholds. */
export function listLoadScenarios(): string {
  const width = Math.max(...LOAD_SCENARIOS.map(({ id }) => id.length));
  const text = LOAD_SCENARIOS.map(({ id, title, uses, thresholds }) =>
    [
      `${id.padEnd(width)}  ${title}`,
      `${' '.repeat(width)}  takes ${uses.join(', ')}${thresholds.length === 0 ? '' : `; holds ${thresholds.join(', ')}`}`,
    ].join('\n'),
  ).join('\n');
  return `${text}\n`;
}
