import type { Finding } from '../../contract/verdict.ts';

/** More accepted under concurrency than the plan grants. */
export const OVER_ADMITTED: Finding = {
  message: 'free#2 was granted 64 requests in one minute under 90 at once; the Free plan grants 60.',
  exchange: {
    request: {
      method: 'GET',
      url: 'http://127.0.0.1:8080/v1/inventory',
      headers: [['Authorization', 'Bearer free#2']],
      body: null,
    },
    response: {
      status: 200,
      headers: [
        ['Content-Type', 'application/json'],
        ['X-RateLimit-Limit', '60'],
        ['X-RateLimit-Remaining', '0'],
      ],
      body: '[{"petId":1,"quantity":3,"status":"available"}]',
      bodyBytes: 47,
    },
    sentAt: '2026-11-20T14:03:41.120Z',
    durationMilliseconds: 4.2,
  },
  curl: "curl -i 'http://127.0.0.1:8080/v1/inventory' -H 'Authorization: Bearer free#2'",
};
