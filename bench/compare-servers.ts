import type { LoadGenerator } from './load-generator.ts';
import { comparePairs, measureServer, type Comparison } from './measure.ts';
import { measurePairs } from './pairs.ts';
import { requireSameResponse } from './same-response.ts';
import { startServerProcess } from './server-process.ts';
import { BENCH_KEY } from './servers/protocol.ts';

interface Rival {
  readonly name: string;
  readonly module: URL;
  readonly same: 'all' | 'body';
  readonly parameters?: readonly string[];
}

const FASTIFY = new URL('servers/fastify.ts', import.meta.url);

const RIVALS: readonly Rival[] = [
  {
    name: 'bare `node:http`, the same bytes',
    module: new URL('servers/bare.ts', import.meta.url),
    same: 'all',
  },
  { name: 'Fastify + @fastify/rate-limit', module: FASTIFY, same: 'body' },
  {
    name: 'Express + express-rate-limit',
    module: new URL('servers/express.ts', import.meta.url),
    same: 'body',
  },
  { name: 'the same Fastify, list cached by hand', module: FASTIFY, same: 'body', parameters: ['cached'] },
];

/** How the servers are measured. */
interface ServerWindows {
  readonly pairs: number;
  /** Of a window. */
  readonly seconds: number;
  readonly connections: number;
}

/** Prints a table of the reference server beside others that serve the same list. */
export async function compareServers(
  generator: LoadGenerator,
  { pairs, seconds, connections }: ServerWindows,
): Promise<void> {
  const authorization = `Bearer ${BENCH_KEY}`;
  const load = { authorization, connections, seconds };
  const reference = await startServerProcess(new URL('servers/reference.ts', import.meta.url));
  process.stdout.write(
    [
      `GET /v1/inventory, 20 entries, ${connections} connections, ${generator.name}, Node ${process.versions.node}; `,
      `medians of ${pairs} pairs of ${seconds} s windows; a ratio above 1 favours the reference server.\n\n`,
      '| Reference server against | requests/s | its requests/s | throughput ratio ',
      '| CPU µs/request | its CPU µs/request | CPU ratio |\n',
      '| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n',
    ].join(''),
  );
  for (const { name, module, same, parameters = [] } of RIVALS) {
    const rival = await startServerProcess(module, ...parameters);
    await requireSameResponse(reference.url, rival.url, authorization, same);
    const measured = await measurePairs(
      pairs,
      () => measureServer(generator, load, reference),
      () => measureServer(generator, load, rival),
    );
    process.stdout.write(describeRow(name, comparePairs(measured)));
    rival.stop();
  }
  reference.stop();
}

function describeRow(name: string, comparison: Comparison): string {
  const { reference, other, throughputRatio, cpuRatio } = comparison;
  const cells = [
    name,
    reference.requestsPerSecond.toFixed(0),
    other.requestsPerSecond.toFixed(0),
    throughputRatio.toFixed(2),
    reference.cpuMicrosecondsPerRequest.toFixed(1),
    other.cpuMicrosecondsPerRequest.toFixed(1),
    cpuRatio.toFixed(2),
  ];
  return `| ${cells.join(' | ')} |\n`;
}
