import { Argument, Command, InvalidArgumentError } from 'commander';

interface Windows {
  readonly pairs: number;
  /** Of a window. */
  readonly seconds: number;
  readonly connections: number;
}

const PARTS = ['server', 'generator', 'judging', 'watch', 'memory', 'storms'] as const;

type Part = (typeof PARTS)[number];

export interface BenchOptions {
  /** What is measured; `null`: everything but the memory and the storms. */
  readonly part: Part | null;
  readonly server: Windows;
  readonly generator: Windows;
  /** How long the open loop sends. */
  readonly scheduleSeconds: number;
  /** Of traffic whose memory is measured, in virtual time. */
  readonly hours: number;
  /** Requests a second of that traffic. */
  readonly rate: number;
}

const SERVER_WINDOWS: Windows = { pairs: 10, seconds: 1, connections: 32 };
// A generator is started anew for each window, and needs a second until it runs at full speed.
const GENERATOR_WINDOWS: Windows = { pairs: 5, seconds: 4, connections: 50 };

/** Reads the command line; a wrong one is told on stderr and ends the process with 2. */
export function readBenchOptions(parameters: readonly string[]): BenchOptions {
  const command = new Command('bench')
    .description('Measures the reference server, the load generator and the proxy beside others, in turn.')
    .addArgument(
      new Argument('[part]', 'what to measure (default: all but memory and storms)').choices(PARTS),
    )
    .option(
      '--pairs <count>',
      'pairs of windows for each comparison (10, of generators and proxies 5)',
      readCount,
    )
    .option('--seconds <count>', 'length of a window (1, of generators and proxies 4)', readCount)
    .option(
      '--connections <count>',
      'connections that are kept busy (32, of generators and proxies 50)',
      readCount,
    )
    .option('--schedule-seconds <count>', 'how long the open loop sends at a fixed rate', readCount, 20)
    .option('--hours <count>', 'of traffic whose memory is measured, in virtual time', readCount, 24)
    .option('--rate <count>', 'requests a second of that traffic', readCount, 100)
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : 2))
    .parse(parameters, { from: 'user' });
  const { scheduleSeconds, hours, rate, ...windows } = command.opts<
    Partial<Windows> & Pick<BenchOptions, 'scheduleSeconds' | 'hours' | 'rate'>
  >();
  const [part] = command.processedArgs;
  return {
    part: PARTS.find((name) => name === part) ?? null,
    server: { ...SERVER_WINDOWS, ...windows },
    generator: { ...GENERATOR_WINDOWS, ...windows },
    scheduleSeconds,
    hours,
    rate,
  };
}

function readCount(text: string): number {
  const count = Number(text);
  if (!Number.isSafeInteger(count) || count < 1) {
    throw new InvalidArgumentError('It is an integer from 1.');
  }
  return count;
}
