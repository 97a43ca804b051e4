import express, { type Request } from 'express';
import { rateLimit } from 'express-rate-limit';

import { BENCH_ITEMS, findKey, listUrlOf, PER_DAY, PER_MINUTE, serveParent } from './protocol.ts';

const app = express();
app.disable('x-powered-by');
app.disable('etag');
app.set('json replacer', (_member: string, value: unknown) =>
  typeof value === 'bigint' ? JSON.rawJSON(value.toString()) : value,
);
app.use((request, response, next) => {
  if (findKey(request.headers.authorization) === undefined) {
    response.status(401).json({ code: 'invalid_api_key', message: 'The API key is not valid.', status: 401 });
  } else {
    next();
  }
});

const keyGenerator = ({ headers }: Request): string => headers.authorization ?? '';
const day = {
  windowMs: 86_400_000,
  limit: PER_DAY,
  keyGenerator,
  legacyHeaders: false,
  standardHeaders: false,
};
app.use(rateLimit(day));
app.use(rateLimit({ windowMs: 60_000, limit: PER_MINUTE, keyGenerator, legacyHeaders: true }));
app.get('/v1/inventory', (_request, response) => {
  response.json(BENCH_ITEMS);
});

const server = app.listen(0, '127.0.0.1', () => {
  server.keepAliveTimeout = 65_000;
  serveParent(listUrlOf(server));
});
