import { createRedactor } from '../../suites/target/index.ts';
import { watchTraffic } from '../../suites/watch/index.ts';
import { BENCH_KEY, PER_DAY, PER_MINUTE, serveParent } from '../servers/protocol.ts';

const [upstream = ''] = process.argv.slice(2);
const watch = await watchTraffic({
  base: new URL('.', upstream).href.replace(/\/$/, ''),
  keys: [
    {
      key: BENCH_KEY,
      label: 'enterprise#1',
      plan: 'enterprise',
      limits: { perMinute: PER_MINUTE, perDay: PER_DAY },
    },
  ],
  redactor: createRedactor(),
  hostname: '127.0.0.1',
  port: 0,
  keepHost: false,
  insecure: false,
  certificateAuthority: null,
  sample: 1,
  isExclusive: false,
});
serveParent(`${watch.url}/inventory`);
