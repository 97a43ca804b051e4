import http from 'node:http';

import { createProxyServer } from 'httpxy';

import { listenAndTell } from '../servers/protocol.ts';

// With `httpxy` a proxy by that package, else what one on node:http takes at the least: fields as they come, bodies piped,
// connections kept.
const [upstream = '', kind] = process.argv.slice(2);
const { origin, hostname, port, pathname } = new URL(upstream);
const agent = new http.Agent({ keepAlive: true });
const proxy = createProxyServer({ target: origin, agent });

const pass: http.RequestListener = (request, response) => {
  const { method, url: path, rawHeaders: headers } = request;
  const outgoing = http.request({ hostname, port, agent, method, path, headers }, (incoming) => {
    response.writeHead(incoming.statusCode ?? 502, incoming.rawHeaders);
    incoming.pipe(response);
  });
  outgoing.on('error', () => response.destroy());
  request.pipe(outgoing);
};

const passByPackage: http.RequestListener = (request, response) => {
  proxy.web(request, response).catch(() => response.destroy());
};

listenAndTell(http.createServer(kind === 'httpxy' ? passByPackage : pass), { path: pathname });
