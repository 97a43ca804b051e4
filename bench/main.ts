import { findLoadGenerator } from './load-generator.ts';
import { compare, measure, type Comparison, type Pair } from './measure.ts';
import { readOptions } from './options.ts';
import { requireSameResponse } from './same-response.ts';
import { startServer, type ServerProcess } from './server-process.ts';
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

const authorization = `Bearer ${BENCH_KEY}`;
const { pairs: pairCount, seconds, connections } = readOptions(process.argv.slice(2));
const load = { authorization, connections, seconds };
const generator = await findLoadGenerator();
const reference = await startServer(new URL('servers/reference.ts', import.meta.url));

process.stdout.write(
  [
    `GET /v1/inventory, 20 entries, ${connections} connections, ${generator.name}, Node ${process.versions.node}; `,
    `medians of ${pairCount} pairs of ${seconds} s windows; a ratio above 1 favours the reference server.\n\n`,
    '| Reference server against | requests/s | its requests/s | throughput ratio ',
    '| CPU µs/request | its CPU µs/request | CPU ratio |\n',
    '| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n',
  ].join(''),
);
for (const { name, module, same, parameters = [] } of RIVALS) {
  const rival = await startServer(module, ...parameters);
  await requireSameResponse(reference.url, rival.url, authorization, same);
  process.stdout.write(describeRow(name, compare(await measurePairs(rival))));
  rival.stop();
}
reference.stop();

async function measurePairs(rival: ServerProcess): Promise<readonly Pair[]> {
  await measure(generator, load, rival);
  await measure(generator, load, reference);
  const pairs: Pair[] = [];
  while (pairs.length < pairCount) {
    // Every other pair the other way round, so that neither side always comes first.
    if (pairs.length % 2 === 0) {
      const first = await measure(generator, load, reference);
      pairs.push({ reference: first, other: await measure(generator, load, rival) });
    } else {
      const first = await measure(generator, load, rival);
      pairs.push({ reference: await measure(generator, load, reference), other: first });
    }
  }
  return pairs;
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
