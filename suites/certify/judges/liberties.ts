import { isJsonObject } from '../../../contract/json/index.ts';
import type { ClientJudge } from '../records/record.ts';
import { readTarget } from '../records/request-target.ts';
import { clientRequests, parseBody } from '../records/traffic-reading.ts';

const ID = 'client-liberties';

/** What a client adds where the specification is silent: a query, a trailing slash, a body on GET, members of an update. */
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
        'further members': request.method === 'PATCH' && hasFurtherMembers(request.body),
      };
      for (const [name, isAdded] of Object.entries(added)) {
        if (isAdded) {
          say.observe(ID, name);
        }
      }
    }
  },
};

function hasFurtherMembers(body: Buffer): boolean {
  const content = parseBody(body);
  return isJsonObject(content) && Object.keys(content).some((member) => member !== 'quantity');
}
