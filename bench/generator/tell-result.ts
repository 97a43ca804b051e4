import type { GeneratorResult } from '../load-generator.ts';

/** Prints what a generator did, for the process that started it. @param before CPU time when it began */
export function tellResult(requests: number, seconds: number, before: NodeJS.CpuUsage): void {
  const { user, system } = process.cpuUsage(before);
  const result: GeneratorResult = { requests, seconds, cpuMicroseconds: user + system };
  process.stdout.write(JSON.stringify(result));
}
