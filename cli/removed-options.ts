const RUN_ON_CHANGES =
  'have a program that watches files start it, such as watchexec -- npx stockcheck verify TARGET';

const INSTEAD: Readonly<Record<string, string>> = {
  '--live': 'follow the run in the terminal, or with --events FILE',
  '--otlp': 'write OpenMetrics with --openmetrics FILE, which an OpenTelemetry collector reads',
  '--watch': RUN_ON_CHANGES,
  '--watch-path': RUN_ON_CHANGES,
};

/** What to use in place of an option that earlier versions had, or `null` if none had it. */
export function removedOption(name: string): string | null {
  const instead = Object.hasOwn(INSTEAD, name) ? INSTEAD[name] : undefined;
  return instead === undefined ? null : `${name} is gone: ${instead}`;
}
