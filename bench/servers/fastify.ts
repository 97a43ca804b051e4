import rateLimit from '@fastify/rate-limit';
import fastify, { type FastifyRequest, type FastifySchema } from 'fastify';

import { BENCH_ITEMS, BENCH_LIST, findKey, PER_DAY, PER_MINUTE, serveParent } from './protocol.ts';

const app = fastify({ keepAliveTimeout: 65_000 });
app.addHook('onRequest', async (request, reply) => {
  if (findKey(request.headers.authorization) === undefined) {
    await reply
      .code(401)
      .send({ code: 'invalid_api_key', message: 'The API key is not valid.', status: 401 });
  }
});
const keyGenerator = ({ headers }: FastifyRequest): string => headers.authorization ?? '';
await app.register(rateLimit, { max: PER_MINUTE, timeWindow: '1 minute', keyGenerator });
const countDay = app.createRateLimit({ max: PER_DAY, timeWindow: '1 day', keyGenerator });
// With `cached` the text is made once by hand; without, Fastify writes it from the entries by their schema.
const isCached = process.argv.includes('cached');
const schema: FastifySchema = {
  response: {
    200: {
      type: 'array',
      items: {
        type: 'object',
        required: ['petId', 'quantity', 'status'],
        properties: { petId: { type: 'integer' }, quantity: { type: 'integer' }, status: { type: 'string' } },
      },
    },
  },
};
app.get('/v1/inventory', isCached ? {} : { schema }, async (request, reply) => {
  const day = await countDay(request);
  if (!day.isAllowed && day.isExceeded) {
    return reply.code(429).send({ code: 'rate_limited', message: 'Too many requests today.', status: 429 });
  }
  return isCached ? reply.type('application/json').send(BENCH_LIST) : reply.send(BENCH_ITEMS);
});
serveParent(`${await app.listen({ host: '127.0.0.1', port: 0 })}/v1/inventory`);
