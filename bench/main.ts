import { compareServers } from './compare-servers.ts';
import { compareGenerators } from './generator/closed-loop.ts';
import { measureSchedule } from './generator/open-loop.ts';
import { AUTOCANNON, findWrk } from './load-generator.ts';
import { readOptions } from './options.ts';

const { part, server, generator, scheduleSeconds } = readOptions(process.argv.slice(2));
const wrk = await findWrk();
if (part !== 'generator') {
  await compareServers(wrk ?? AUTOCANNON, server);
}
if (part === null) {
  process.stdout.write('\n');
}
if (part !== 'server') {
  await compareGenerators(wrk === null ? [AUTOCANNON] : [AUTOCANNON, wrk], generator);
  process.stdout.write('\n');
  await measureSchedule(scheduleSeconds);
}
