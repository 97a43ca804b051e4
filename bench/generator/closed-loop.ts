import type { LoadGenerator } from '../load-generator.ts';
import { median } from '../median.ts';
import { measurePairs } from '../pairs.ts';
import { startServer } from '../server-process.ts';
import { BENCH_KEY } from '../servers/protocol.ts';
import { KEY_COUNT, ROTATING_KEYS } from './rotating-keys.ts';

/** How the generators are measured. */
interface GeneratorWindows {
  readonly pairs: number;
  /** Of a window. */
  readonly seconds: number;
  readonly connections: number;
}

/** Prints a table of the closed model of `stockcheck load` beside other generators, all on the same server. */
export async function compareGenerators(
  rivals: readonly LoadGenerator[],
  { pairs, seconds, connections }: GeneratorWindows,
): Promise<void> {
  const server = await startServer(new URL('../servers/bare.ts', import.meta.url));
  const load = { url: server.url, authorization: `Bearer ${BENCH_KEY}`, connections, seconds };
  const rateOf = async ({ run }: LoadGenerator): Promise<number> => {
    const result = await run(load);
    return result.requests / result.seconds;
  };
  process.stdout.write(
    [
      `Closed loop on a bare node:http server, ${connections} connections, Node ${process.versions.node}: `,
      `stockcheck with ${KEY_COUNT} keys in turn, every response recorded and its rate limit headers read, `,
      `against others with one key; medians of ${pairs} pairs of ${seconds} s windows; `,
      'a ratio above 1 favours stockcheck.\n\n',
      '| stockcheck against | requests/s | its requests/s | ratio |\n',
      '| --- | ---: | ---: | ---: |\n',
    ].join(''),
  );
  for (const rival of rivals) {
    const measured = await measurePairs(
      pairs,
      () => rateOf(ROTATING_KEYS),
      () => rateOf(rival),
    );
    const own = median(measured.map(({ reference }) => reference));
    const its = median(measured.map(({ other }) => other));
    const ratio = median(measured.map(({ reference, other }) => reference / other));
    process.stdout.write(`| ${rival.name} | ${own.toFixed(0)} | ${its.toFixed(0)} | ${ratio.toFixed(2)} |\n`);
  }
  server.stop();
}
