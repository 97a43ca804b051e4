import { get } from 'node:http';

/**
 * Exits with 0 if the service answers a request without a key as it has to: 401, with the headers of the rate
 * limit. A service that has lost its store answers 503, and is not healthy.
 * usage: node healthcheck.js [BASE_URL]
 */
const base = process.argv[2] ?? 'http://127.0.0.1:8080/v1';
const HEADERS = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'];

const request = get(`${base}/inventory`, { timeout: 2_000 }, (response) => {
  const missing = HEADERS.filter((name) => response.headers[name] === undefined);
  if (response.statusCode !== 401 || missing.length > 0) {
    fail(`status ${response.statusCode}${missing.map((name) => `, no ${name}`).join('')}`);
  }
  response.resume();
});
request.on('timeout', () => request.destroy(new Error('no answer within 2 s')));
request.on('error', ({ message }) => fail(message));

/** @param {string} reason */
function fail(reason) {
  console.log(reason);
  process.exitCode = 1;
}
