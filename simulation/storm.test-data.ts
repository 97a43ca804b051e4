import { exactPolicy } from './client-policy.ts';
import type { Storm } from './storm.ts';

/** One exact client that meets a service which is never busy. */
export const CALM: Storm = {
  clients: 1,
  shares: [{ policy: exactPolicy, share: 1 }],
  requestsEach: 25,
  arrivalSeconds: 0,
  pauseSeconds: 0,
  timeoutSeconds: 30,
  durationSeconds: 3_600,
  startUnixSeconds: 1_795_000_020,
  limits: { perMinute: 10, perDay: 1_000 },
  server: {},
  service: { workers: 1_000, serviceSeconds: 0.001, refusalShare: 0.5, queue: null },
  seed: 1,
};
