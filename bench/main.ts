import { Argument, Command, InvalidArgumentError } from 'commander';

import { compareServers } from './compare-servers.ts';
import { compareGenerators, compareThreads } from './generator/compare-generators.ts';
import { measureSchedule } from './generator/open-loop.ts';
import { AUTOCANNON, findWrk } from './load-generator.ts';
import type { Windows } from './measure.ts';
import { compareProxies } from './watch/compare-proxies.ts';
import { measureEndlessStream } from './watch/endless-stream.ts';

const PARTS = ['server', 'generator', 'watch', 'memory'] as const;

const SERVER_WINDOWS: Windows = { pairs: 10, seconds: 1, connections: 32 };
// A generator is started anew for each window, and needs a second until it runs at full speed.
const GENERATOR_WINDOWS: Windows = { pairs: 5, seconds: 4, connections: 50 };

const { parts, server, generator, scheduleSeconds, hours, rate } = readBenchOptions(process.argv.slice(2));
const wrk = await findWrk();

const MEASUREMENTS = {
  server: () => compareServers(wrk ?? AUTOCANNON, server),
  generator: async () => {
    await compareGenerators(wrk, generator);
    process.stdout.write('\n');
    await compareThreads(generator);
    process.stdout.write('\n');
    await measureSchedule(scheduleSeconds);
  },
  watch: () => compareProxies(wrk ?? AUTOCANNON, generator),
  memory: () => measureEndlessStream(hours, rate),
};

for (const [index, part] of parts.entries()) {
  process.stdout.write(index === 0 ? '' : '\n');
  await MEASUREMENTS[part]();
}

/** Reads the command line; a wrong one is told on stderr and ends the process with 2. */
function readBenchOptions(parameters: readonly string[]) {
  const command = new Command('bench')
    .description('Measures the reference server, the load generator and the proxy beside others, in turn.')
    .addArgument(new Argument('[part]', 'what to measure (default: all but memory)').choices(PARTS))
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
    Partial<Windows> & Readonly<Record<'scheduleSeconds' | 'hours' | 'rate', number>>
  >();
  const [part] = command.processedArgs;
  return {
    parts: PARTS.filter((name) => (part === undefined ? name !== 'memory' : name === part)),
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
