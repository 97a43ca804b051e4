import { startReferenceServer } from '../../reference-server/index.ts';
import { BENCH_KEY, BENCH_ITEMS, PER_DAY, PER_MINUTE, serveParent } from './protocol.ts';

const server = await startReferenceServer({
  control: false,
  inventory: BENCH_ITEMS,
  keys: [{ key: BENCH_KEY, plan: 'enterprise', perMinute: PER_MINUTE, perDay: PER_DAY }],
});
serveParent(`${server.url}/inventory`);
