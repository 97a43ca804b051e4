import { rewriting } from './target-changes.test-data.ts';
import { testChecks } from './judge-scripted.test-data.ts';
import { updateSeenByOthers } from './update-seen-by-others.ts';

testChecks(
  [updateSeenByOthers],
  [
    [
      'update-succeeds',
      'it is answered 500',
      rewriting(
        (_reply, { method }) => method === 'PATCH',
        () => ({ status: 500 }),
      ),
    ],
    [
      'update-persists',
      'the first list of a client is shown to it again',
      () => {
        const lists = new Map<string, string>();
        return {
          reply: (reply, { method, path }, client) => {
            if (method !== 'GET' || path !== '/inventory' || client === undefined) {
              return reply;
            }
            const body = lists.get(client.secret) ?? reply.body;
            lists.set(client.secret, body);
            return { ...reply, body };
          },
        };
      },
    ],
  ],
);
