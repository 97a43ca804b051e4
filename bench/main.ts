import { Argument, Command, InvalidArgumentError } from 'commander';

import { compareServers } from './compare-servers.ts';
import { compareGenerators } from './generator/compare-generators.ts';
import type { Windows } from './measure.ts';

const PARTS = ['server', 'generator'] as const;

const SERVER_WINDOWS: Windows = { pairs: 10, seconds: 1, connections: 32 };
// A generator is started anew for each window, and needs a second until it runs at full speed.
const GENERATOR_WINDOWS: Windows = { pairs: 5, seconds: 4, connections: 50 };

const MEASUREMENTS = {
  server: (windows: Partial<Windows>) => compareServers({ ...SERVER_WINDOWS, ...windows }),
  generator: (windows: Partial<Windows>) => compareGenerators({ ...GENERATOR_WINDOWS, ...windows }),
};

const { parts, windows } = readBenchOptions(process.argv.slice(2));
for (const [index, part] of parts.entries()) {
  process.stdout.write(index === 0 ? '' : '\n');
  await MEASUREMENTS[part](windows);
}

/** Reads the command line; a wrong one is told on stderr and ends the process with 2. */
function readBenchOptions(parameters: readonly string[]) {
  const command = new Command('bench')
    .description('Measures the reference server and the load generator beside others, in turn.')
    .addArgument(new Argument('[part]', 'what to measure (default: both)').choices(PARTS))
    .option('--pairs <count>', 'pairs of windows for each comparison (10, of generators 5)', readCount)
    .option('--seconds <count>', 'length of a window (1, of generators 4)', readCount)
    .option('--connections <count>', 'connections that are kept busy (32, of generators 50)', readCount)
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
    .parse(parameters, { from: 'user' });
  const [part] = command.processedArgs;
  return {
    parts: PARTS.filter((name) => part === undefined || name === part),
    windows: command.opts<Partial<Windows>>(),
  };
}

function readCount(text: string): number {
  const count = Number(text);
  if (!Number.isSafeInteger(count) || count < 1) {
    throw new InvalidArgumentError('It is an integer from 1.');
  }
  return count;
}
