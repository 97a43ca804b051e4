import { startReferenceServer } from '../../reference-server/index.ts';
import { BENCH_ITEMS, serveParent } from '../servers/protocol.ts';
import { isLimiterName, limiterAlterations } from './limiters.ts';
import { withCapacity } from './with-capacity.ts';

// The reference server with a capacity that is known, a short minute, and a key for each client: key-0, key-1 …
const [limiter = '', ...figures] = process.argv.slice(2);
const [clients = 0, perMinute = 0, workers = 0, serviceSeconds = 0, refusalShare = 0] = figures.map(Number);
if (!isLimiterName(limiter)) {
  throw new RangeError(`There is no limiter ${limiter}`);
}
const server = await startReferenceServer({
  control: false,
  inventory: BENCH_ITEMS,
  keys: Array.from({ length: clients }, (_, client) => ({
    key: `key-${client}`,
    plan: 'enterprise' as const,
    perMinute,
    perDay: 1_000_000,
  })),
  alterations: [...limiterAlterations(limiter), withCapacity({ workers, serviceSeconds, refusalShare })],
});
serveParent(`${server.url}/inventory`);
