import type { LoadGenerator, GeneratorOptions } from './load-generator.ts';
import { median } from './median.ts';
import type { Pair } from './pairs.ts';
import type { ServerProcess } from './server-process.ts';

/** One window of load on one server. */
export interface Sample {
  readonly requestsPerSecond: number;
  /** Of the server's process. */
  readonly cpuMicrosecondsPerRequest: number;
}

/** Medians; each ratio is above 1 if the reference server is the better one. */
export interface Comparison {
  readonly reference: Sample;
  readonly other: Sample;
  readonly throughputRatio: number;
  readonly cpuRatio: number;
}

export async function measureServer(
  generator: LoadGenerator,
  options: Omit<GeneratorOptions, 'url'>,
  server: ServerProcess,
): Promise<Sample> {
  const before = await server.cpuMicroseconds();
  const { requests, seconds } = await generator.run({ ...options, url: server.url });
  const after = await server.cpuMicroseconds();
  return {
    requestsPerSecond: requests / seconds,
    cpuMicrosecondsPerRequest: (after - before) / requests,
  };
}

/** The ratio is taken within each pair, so that what slows the machine for a while slows both sides. */
export function comparePairs(pairs: readonly Pair<Sample>[]): Comparison {
  const medianOf = (read: (pair: Pair<Sample>) => number): number => median(pairs.map(read));
  return {
    reference: medianSample(pairs.map(({ reference }) => reference)),
    other: medianSample(pairs.map(({ other }) => other)),
    throughputRatio: medianOf(
      ({ reference, other }) => reference.requestsPerSecond / other.requestsPerSecond,
    ),
    cpuRatio: medianOf(
      ({ reference, other }) => other.cpuMicrosecondsPerRequest / reference.cpuMicrosecondsPerRequest,
    ),
  };
}

function medianSample(samples: readonly Sample[]): Sample {
  return {
    requestsPerSecond: median(samples.map(({ requestsPerSecond }) => requestsPerSecond)),
    cpuMicrosecondsPerRequest: median(
      samples.map(({ cpuMicrosecondsPerRequest }) => cpuMicrosecondsPerRequest),
    ),
  };
}
