import type { ClientJudge } from '../records/record.ts';
import { readTarget } from '../records/request-target.ts';
import { clientRequests } from '../records/traffic-reading.ts';

const ID = 'client-liberties';

/** What a client adds where the specification is silent: a query, a trailing slash, a body on GET. */
export const liberties: ClientJudge = {
  id: 'liberties',
  title: 'What the client adds to its requests',
  judges: [ID],
  judge: (record, say) => {
    for (const { request } of clientRequests(record)) {
      const [path = ''] = request.target.split('?');
      const added = {
        query: readTarget(request.target, record.baseUrl).query !== '',
        'trailing slash': path.endsWith('/'),
        'body on GET': request.method === 'GET' && request.body.length > 0,
      };
      for (const [name, isAdded] of Object.entries(added)) {
        if (isAdded) {
          say.observe(ID, name);
        }
      }
    }
  },
};
