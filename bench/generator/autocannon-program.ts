import autocannon from 'autocannon';

import { tellResult } from './tell-result.ts';

// Loads a URL with autocannon as it is.
const [url = '', authorization = '', ...numbers] = process.argv.slice(2);
const [connections = 1, seconds = 1] = numbers.map(Number);
const before = process.cpuUsage();
const headers = { Authorization: authorization };
const { requests, duration, non2xx, errors } = await autocannon({
  url,
  headers,
  connections,
  duration: seconds,
});
if (non2xx + errors > 0) {
  throw new Error(`autocannon on ${url}: ${non2xx} responses that were not 2xx, ${errors} errors`);
}
tellResult(requests.total, duration, before);
