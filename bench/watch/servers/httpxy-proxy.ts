import http from 'node:http';

import { createProxyServer } from 'httpxy';

import { listening } from './listening.ts';

const [upstream = ''] = process.argv.slice(2);
const { origin, pathname } = new URL(upstream);
const proxy = createProxyServer({ target: origin, agent: new http.Agent({ keepAlive: true }) });
const server = http.createServer((request, response) => {
  proxy.web(request, response).catch(() => response.destroy());
});
listening(server, pathname);
