import { Argument, Command, InvalidArgumentError } from 'commander';
import { type Windows, comparisonHead, comparisonRow, type Sample } from './measure.ts';
import { autocannon, judgedLoad, type LoadGenerator } from './load-generator.ts';
import { requireSameResponse, startServerProcess, type ServerProcess } from './server-process.ts';
import { BENCH_KEY } from './servers/protocol.ts';

const BARE = new URL('servers/bare.ts', import.meta.url);
const THREADS = 2;

/** Prints a table of a closed loop of `stockcheck load` beside autocannon, and beside itself with several threads. */
async function compareGenerators({ pairs, seconds, connections }: Windows): Promise<void> {
  const server = await startServerProcess(BARE, 'counting');
  const measure = (generator: LoadGenerator) => async (): Promise<Sample> => {
    const authorization = `Bearer ${BENCH_KEY}`;
    const result = await generator({ url: server.url, authorization, connections, seconds });
    return { rate: result.requests / result.seconds, cpu: result.cpuMicroseconds / result.requests };
  };
  const oneThread = measure(judgedLoad(1));
  process.stdout.write(
    [
      `Closed loop on a bare node:http server, ${connections} connections, Node ${process.versions.node}: stockcheck with `,
      `two keys and every response judged; medians of ${pairs} pairs of ${seconds} s windows; `,
      'a ratio above 1 favours one thread of stockcheck.\n\n',
      comparisonHead('1 thread'),
      await comparisonRow('autocannon, which judges nothing', pairs, oneThread, measure(autocannon)),
      await comparisonRow(`${THREADS} threads`, pairs, oneThread, measure(judgedLoad(THREADS))),
    ].join(''),
  );
  server.stop();
}

/** Prints a table of the reference server beside a bare server that answers the same bytes. */
async function compareServers({ pairs, seconds, connections }: Windows): Promise<void> {
  const authorization = `Bearer ${BENCH_KEY}`;
  const reference = await startServerProcess(new URL('servers/reference.ts', import.meta.url));
  const bare = await startServerProcess(new URL('servers/bare.ts', import.meta.url));
  await requireSameResponse(reference.url, bare.url, authorization);
  const measure = (server: ServerProcess) => async (): Promise<Sample> => {
    const before = await server.cpuMicroseconds();
    const result = await autocannon({ authorization, connections, seconds, url: server.url });
    const after = await server.cpuMicroseconds();
    return { rate: result.requests / result.seconds, cpu: (after - before) / result.requests };
  };
  process.stdout.write(
    [
      `GET /v1/inventory, 20 entries, ${connections} connections, autocannon, Node ${process.versions.node}; `,
      `medians of ${pairs} pairs of ${seconds} s windows; a ratio above 1 favours the reference server.\n\n`,
      comparisonHead('Reference server'),
      await comparisonRow('bare `node:http`, the same bytes', pairs, measure(reference), measure(bare)),
    ].join(''),
  );
  reference.stop();
  bare.stop();
}

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
