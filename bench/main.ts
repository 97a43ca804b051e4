import { compareServers } from './compare-servers.ts';
import { compareGenerators } from './generator/closed-loop.ts';
import { compareThreads } from './generator/judged-load.ts';
import { measureJudging } from './generator/judging-cost.ts';
import { measureSchedule } from './generator/open-loop.ts';
import { AUTOCANNON, findWrk } from './load-generator.ts';
import { readBenchOptions } from './options.ts';
import { validateStorms } from './storms/validate-storms.ts';
import { compareProxies } from './watch/compare-proxies.ts';
import { measureEndlessStream } from './watch/endless-stream.ts';

const { part, server, generator, scheduleSeconds, hours, rate } = readBenchOptions(process.argv.slice(2));
const PROXY_RATE = 500;
const wrk = await findWrk();
if (part === null || part === 'server') {
  await compareServers(wrk ?? AUTOCANNON, server);
}
if (part === null) {
  process.stdout.write('\n');
}
if (part === null || part === 'generator') {
  await compareGenerators(wrk === null ? [AUTOCANNON] : [AUTOCANNON, wrk], generator);
  process.stdout.write('\n');
  await compareThreads(generator);
  process.stdout.write('\n');
  await measureSchedule(scheduleSeconds);
}
if (part === null) {
  process.stdout.write('\n');
}
if (part === null || part === 'watch') {
  const { pairs: rounds, seconds, connections } = generator;
  await compareProxies(wrk ?? AUTOCANNON, { rounds, seconds, connections, rate: PROXY_RATE });
}
if (part === null) {
  process.stdout.write('\n');
}
if (part === null || part === 'judging') {
  measureJudging();
}
if (part === 'storms') {
  await validateStorms();
}
if (part === 'memory') {
  await measureEndlessStream(hours, rate);
}
