import type { LoadGenerator } from '../load-generator.ts';
import { median } from '../median.ts';
import { measurePairs } from '../pairs.ts';
import { startServerProcess } from '../server-process.ts';
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
  const server = await startServerProcess(new URL('../servers/bare.ts', import.meta.url));
  const load = { url: server.url, authorization: `Bearer ${BENCH_KEY}`, connections, seconds };
  const measure = async ({ run }: LoadGenerator) => {
    const { requests, seconds: lasted, cpuMicroseconds } = await run(load);
    return { rate: requests / lasted, cpu: (cpuMicroseconds ?? Number.NaN) / requests };
  };
  process.stdout.write(
    [
      `Closed loop on a bare node:http server, ${connections} connections, Node ${process.versions.node}: `,
      `stockcheck with ${KEY_COUNT} keys in turn, every response recorded and its rate limit headers read, `,
      `against others with one key; medians of ${pairs} pairs of ${seconds} s windows; `,
      'a ratio above 1 favours stockcheck.\n\n',
      '| stockcheck against | requests/s | its requests/s | ratio ',
      '| CPU µs/request | its CPU µs/request | CPU ratio |\n',
      '| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n',
    ].join(''),
  );
  for (const rival of rivals) {
    const measured = await measurePairs(
      pairs,
      () => measure(ROTATING_KEYS),
      () => measure(rival),
    );
    const medianOf = (read: (pair: (typeof measured)[number]) => number): number =>
      median(measured.map(read));
    const cpu = [
      medianOf(({ reference }) => reference.cpu).toFixed(1),
      medianOf(({ other }) => other.cpu).toFixed(1),
      medianOf(({ reference, other }) => other.cpu / reference.cpu).toFixed(2),
    ];
    const cells = [
      rival.name,
      medianOf(({ reference }) => reference.rate).toFixed(0),
      medianOf(({ other }) => other.rate).toFixed(0),
      medianOf(({ reference, other }) => reference.rate / other.rate).toFixed(2),
      ...cpu.map((text) => (text === 'NaN' ? '' : text)),
    ];
    process.stdout.write(`| ${cells.join(' | ')} |\n`);
  }
  server.stop();
}
