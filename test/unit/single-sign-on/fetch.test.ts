/** Requests to a provider of identities: bounds of networks, time and size. */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import t from 'tap';
import { OutgoingAddressFilter } from '#base';
import { IdentityProviderUnavailableError } from '#frontend/single-sign-on';
import { makeIdentityProviderFetch } from '../../../src/frontend/single-sign-on/fetch.js';

const seen: string[] = [];
const server = createServer((request, response) => {
  seen.push(`${request.method} ${request.url} ${request.headers['content-length']}`);
  if (request.url === '/silent') return;
  if (request.url === '/endless') {
    response.writeHead(200);
    response.write('x');
    return;
  }
  if (request.url === '/large') response.end('x'.repeat(1_100_000));
  else if (request.url === '/away') response.writeHead(302, { location: '/json' }).end();
  else if (request.url === '/failing') response.writeHead(502).end('x');
  else response.writeHead(200, { 'content-type': 'application/json' }).end('{"a":1}');
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
t.teardown(() => {
  server.closeAllConnections();
  server.close();
});
const { port } = server.address() as AddressInfo;
const LOOPBACK = new OutgoingAddressFilter('127.0.0.1');
const get = (path: string, filter = LOOPBACK, host = '127.0.0.1') =>
  makeIdentityProviderFetch(filter, 300)(`http://${host}:${port}${path}`, { method: 'GET', headers: {} });

t.test('answers come back with status, type and body; redirects are not followed', async (t) => {
  const answer = await get('/json');
  t.same([answer.status, answer.headers.get('content-type'), await answer.json()], [200, 'application/json', { a: 1 }]);
  t.equal((await get('/away')).status, 302);
  const body = new URLSearchParams({ code: 'ä' });
  await makeIdentityProviderFetch(LOOPBACK)(`http://127.0.0.1:${port}/token`, { method: 'POST', headers: {}, body });
  t.equal(seen.at(-1), `POST /token ${String(body).length}`);
});

t.test('silent, endless, large and failing answers are an outage', async (t) => {
  for (const path of ['/silent', '/endless', '/large', '/failing'])
    await t.rejects(get(path), IdentityProviderUnavailableError, path);
});

t.test('networks that are not allowed are not reached', async (t) => {
  const before = seen.length;
  const none = new OutgoingAddressFilter('');
  for (const host of ['127.0.0.1', 'localhost'])
    await t.rejects(get('/json', none, host), IdentityProviderUnavailableError, host);
  t.equal(seen.length, before);
});
