import { Command, InvalidArgumentError } from 'commander';

export interface BenchOptions {
  readonly pairs: number;
  readonly seconds: number;
  readonly connections: number;
}

/** Reads the command line; a wrong one is told on stderr and ends the process with 2. */
export function readOptions(parameters: readonly string[]): BenchOptions {
  return new Command('bench')
    .description('Measures the reference server against others, window by window in turn.')
    .option('--pairs <count>', 'pairs of windows for each comparison', readCount, 10)
    .option('--seconds <count>', 'length of a window', readCount, 1)
    .option('--connections <count>', 'connections that are kept busy', readCount, 32)
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
    .parse(parameters, { from: 'user' })
    .opts<BenchOptions>();
}

function readCount(text: string): number {
  const count = Number(text);
  if (!Number.isSafeInteger(count) || count < 1) {
    throw new InvalidArgumentError('It is an integer from 1.');
  }
  return count;
}
