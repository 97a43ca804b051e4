import { startReferenceServer } from '../../reference-server/index.ts';
import { BENCH_KEY, ITEMS, PER_DAY, PER_MINUTE, serveParent } from './protocol.ts';

const server = await startReferenceServer({
  control: false,
  inventory: ITEMS,
  keys: [{ key: BENCH_KEY, plan: 'enterprise', perMinute: PER_MINUTE, perDay: PER_DAY }],
});
serveParent(`${server.url}/inventory`);
