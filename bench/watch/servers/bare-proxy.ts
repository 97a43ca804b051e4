import http from 'node:http';

import { listening } from './listening.ts';

// What a proxy on node:http takes at the least: fields as they come, bodies piped, connections kept.
const [upstream = ''] = process.argv.slice(2);
const { hostname, port, pathname } = new URL(upstream);
const agent = new http.Agent({ keepAlive: true });
const server = http.createServer((request, response) => {
  const { method, url: path, rawHeaders: headers } = request;
  const outgoing = http.request({ hostname, port, agent, method, path, headers }, (incoming) => {
    response.writeHead(incoming.statusCode ?? 502, incoming.rawHeaders);
    incoming.pipe(response);
  });
  outgoing.on('error', () => response.destroy());
  request.pipe(outgoing);
});
listening(server, pathname);
