/** Calls of servers that no answer comes from. All of them are on loopback. */

import { type AddressInfo, createServer } from 'node:net';
import t from 'tap';
import { OutgoingAddressFilter } from '#base';
import { WebhookCaller } from '#domain/webhooks';
import { FakeClock } from '../../support/fake-clock.js';

const caller = new WebhookCaller(new FakeClock(), new OutgoingAddressFilter('127.0.0.0/8'));
const post = (url: string) => caller.postWithoutRedirects({ url, type: 'application/json', body: '{}' });

t.test('an address that Node cannot call fails its call, and does not reject', async (t) => {
  for (const url of ['http://%@127.0.0.1/', 'https://:%@127.0.0.1/', 'http://', 'ftp://127.0.0.1/'])
    t.same(await post(url), { kind: 'failed', reason: { fault: 'noWebServer' } }, url);
});

t.test('a server that switches the protocol ends the call at once', async (t) => {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', () =>
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => server.close());
  const answer = await post(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  t.match(answer, { kind: 'answered', status: 101 });
});
