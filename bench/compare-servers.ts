import { autocannon } from './load-generator.ts';
import { comparisonHead, comparisonRow, type Sample, type Windows } from './measure.ts';
import { requireSameResponse, startServerProcess, type ServerProcess } from './server-process.ts';
import { BENCH_KEY } from './servers/protocol.ts';

/** Prints a table of the reference server beside a bare server that answers the same bytes. */
export async function compareServers({ pairs, seconds, connections }: Windows): Promise<void> {
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
