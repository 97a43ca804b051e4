import { autocannon, judgedLoad, type LoadGenerator } from '../load-generator.ts';
import { comparisonHead, comparisonRow, type Sample, type Windows } from '../measure.ts';
import { startServerProcess } from '../server-process.ts';
import { BENCH_KEY } from '../servers/protocol.ts';

const BARE = new URL('../servers/bare.ts', import.meta.url);
const THREADS = 2;

/** Prints a table of a closed loop of `stockcheck load` beside autocannon, and beside itself with several threads. */
export async function compareGenerators({ pairs, seconds, connections }: Windows): Promise<void> {
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
