import type { LoadGenerator } from './load-generator.ts';
import { comparisonHead, comparisonRow, measureServer, type Windows } from './measure.ts';
import { requireSameResponse, startServerProcess } from './server-process.ts';
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

/** Prints a table of the reference server beside others that serve the same list. */
export async function compareServers(
  generator: LoadGenerator,
  { pairs, seconds, connections }: Windows,
): Promise<void> {
  const authorization = `Bearer ${BENCH_KEY}`;
  const load = { authorization, connections, seconds };
  const reference = await startServerProcess(new URL('servers/reference.ts', import.meta.url));
  process.stdout.write(
    [
      `GET /v1/inventory, 20 entries, ${connections} connections, ${generator.name}, Node ${process.versions.node}; `,
      `medians of ${pairs} pairs of ${seconds} s windows; a ratio above 1 favours the reference server.\n\n`,
      comparisonHead('Reference server'),
    ].join(''),
  );
  for (const { name, module, same, parameters = [] } of RIVALS) {
    const rival = await startServerProcess(module, ...parameters);
    await requireSameResponse(reference.url, rival.url, authorization, same);
    const measure = (server: typeof rival) => () => measureServer(generator, load, server);
    process.stdout.write(await comparisonRow(name, pairs, measure(reference), measure(rival)));
    rival.stop();
  }
  reference.stop();
}
