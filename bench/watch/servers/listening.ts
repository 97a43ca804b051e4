import type { Server } from 'node:http';

import { serveParent } from '../../servers/protocol.ts';

/** Has a proxy listen on a free port, and tells the parent where. */
export function listening(server: Server, pathname: string): void {
  server.listen(0, '127.0.0.1', () => {
    const address = server.address();
    serveParent(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}${pathname}`);
  });
}
