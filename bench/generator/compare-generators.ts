import { AUTOCANNON, judgedLoad, KEY_COUNT, ROTATING_KEYS, type LoadGenerator } from '../load-generator.ts';
import { comparisonHead, comparisonRow, type Sample, type Windows } from '../measure.ts';
import { startServerProcess } from '../server-process.ts';
import { BENCH_KEY } from '../servers/protocol.ts';

const BARE = new URL('../servers/bare.ts', import.meta.url);
const THREADS = 2;

/** Prints a table of the closed model of `stockcheck load` beside other generators, all on the same server. */
export async function compareGenerators(wrk: LoadGenerator | null, windows: Windows): Promise<void> {
  const { pairs, seconds, connections } = windows;
  const server = await startServerProcess(BARE);
  process.stdout.write(
    [
      `Closed loop on a bare node:http server, ${connections} connections, Node ${process.versions.node}: `,
      `stockcheck with ${KEY_COUNT} keys in turn, every response recorded and its rate limit headers read, `,
      `against others with one key; medians of ${pairs} pairs of ${seconds} s windows; `,
      'a ratio above 1 favours stockcheck.\n\n',
      comparisonHead('stockcheck'),
    ].join(''),
  );
  for (const rival of wrk === null ? [AUTOCANNON] : [AUTOCANNON, wrk]) {
    const measure = (generator: LoadGenerator) => measurementBy(generator, server.url, windows);
    process.stdout.write(await comparisonRow(rival.name, pairs, measure(ROTATING_KEYS), measure(rival)));
  }
  server.stop();
}

/** Prints what it costs to send a load with several threads, in CPU time of the generator, beside one thread. */
export async function compareThreads(windows: Windows): Promise<void> {
  const { pairs, seconds, connections } = windows;
  const server = await startServerProcess(BARE, 'counting');
  const measure = (threads: number) => measurementBy(judgedLoad(threads), server.url, windows);
  process.stdout.write(
    [
      `Closed loop of load, every response judged, two keys, ${connections} connections, Node ${process.versions.node}; `,
      `medians of ${pairs} pairs of ${seconds} s windows; a ratio above 1 favours ${THREADS} threads.\n\n`,
      comparisonHead(`${THREADS} threads`),
      await comparisonRow('1 thread', pairs, measure(THREADS), measure(1)),
    ].join(''),
  );
  server.stop();
}

function measurementBy(
  { run }: LoadGenerator,
  url: string,
  { connections, seconds }: Windows,
): () => Promise<Sample> {
  const load = { url, authorization: `Bearer ${BENCH_KEY}`, connections, seconds };
  return async () => {
    const { requests, seconds: lasted, cpuMicroseconds } = await run(load);
    return { rate: requests / lasted, cpu: (cpuMicroseconds ?? Number.NaN) / requests };
  };
}
