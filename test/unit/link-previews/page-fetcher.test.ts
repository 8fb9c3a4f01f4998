/** Fetches of linked pages from a real server on loopback: redirects, types, sizes, character sets, networks. */

import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import t from 'tap';
import { OutgoingAddressFilter } from '#base';
import { WebPageHeadFetcher } from '#domain/link-previews';
import { FakeClock } from '../../support/fake-clock.js';

let answer: (response: ServerResponse, path: string) => void;
const server = createServer((request, response) => answer(response, request.url ?? ''));
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
t.teardown(() => {
  server.closeAllConnections();
  server.close();
});
const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const clock = new FakeClock();
const fetcher = new WebPageHeadFetcher(clock, new OutgoingAddressFilter('127.0.0.1'), '');
const html = (response: ServerResponse, text: string | Buffer, type = 'text/html'): void =>
  void response.writeHead(200, { 'content-type': type }).end(text);
const title = async (path = '/'): Promise<string | undefined> =>
  (await fetcher.fetchHeadOrUndefined(base + path))?.title;

t.test('a page is found behind redirects, but not behind more than four', async (t) => {
  answer = (response, path) => {
    const left = Number(path.slice(1));
    if (left === 0) html(response, '<title>There</title><meta property="og:image" content="/p.png">');
    else response.writeHead(302, { location: `/${left - 1}` }).end();
  };
  t.equal(await title('/4'), 'There');
  t.equal((await fetcher.fetchHeadOrUndefined(`${base}/4`))?.image, `${base}/p.png`);
  t.equal(await title('/5'), undefined);
});

t.test('other types, other statuses and unusable codings have no preview', async (t) => {
  answer = (response) => html(response, '<title>x</title>', 'application/json');
  t.equal(await title(), undefined);
  answer = (response) => void response.writeHead(404, { 'content-type': 'text/html' }).end('<title>x</title>');
  t.equal(await title(), undefined);
  answer = (response) =>
    void response.writeHead(200, { 'content-type': 'text/html', 'content-encoding': 'br' }).end('<title>x</title>');
  t.equal(await title(), undefined);
  answer = (response) => void response.destroy();
  t.equal(await title(), undefined);
});

t.test('the character set of header or page is used', async (t) => {
  const latin = Buffer.from('<meta charset="iso-8859-1"><title>Gr\xfc\xdfe</title>', 'latin1');
  answer = (response) => html(response, latin);
  t.equal(await title(), 'Grüße');
  answer = (response) =>
    html(response, Buffer.from('<title>Gr\xfc\xdfe</title>', 'latin1'), 'text/html; charset=latin1');
  t.equal(await title(), 'Grüße');
  answer = (response) => html(response, '<title>Grüße</title>', 'text/html; charset=nonsense');
  t.equal(await title(), 'Grüße');
});

t.test('an endless page is read to its limit', async (t) => {
  let isClosed = false;
  answer = (response) => {
    response.writeHead(200, { 'content-type': 'text/html' });
    response.on('close', () => {
      isClosed = true;
    });
    response.write('<title>Endless</title>');
    const more = (): void => {
      while (!isClosed && response.write(Buffer.alloc(65_536, 32)));
      if (!isClosed) response.once('drain', more);
    };
    more();
  };
  t.equal(await title(), 'Endless');
});

t.test('a slow page is given up', async (t) => {
  answer = (response) => void response.writeHead(200, { 'content-type': 'text/html' }).write('<title>Slow');
  const fetched = title();
  clock.advance(5_000);
  t.equal(await fetched, undefined);
});

t.test('addresses of forbidden networks and other schemes are not fetched', async (t) => {
  answer = (response) => html(response, '<title>x</title>');
  t.equal(
    await new WebPageHeadFetcher(clock, new OutgoingAddressFilter(''), '').fetchHeadOrUndefined(`${base}/`),
    undefined,
  );
  for (const url of ['file:///etc/passwd', 'ftp://example.com/', 'nonsense'])
    t.equal(await fetcher.fetchHeadOrUndefined(url), undefined);
  answer = (response) => void response.writeHead(302, { location: 'http://169.254.1.1/' }).end();
  t.equal(await title(), undefined);
});

t.test('the picture goes through the image proxy where it is on', async (t) => {
  answer = (response) => html(response, '<title>x</title><meta property="og:image" content="/p.png">');
  const proxied = await new WebPageHeadFetcher(
    clock,
    new OutgoingAddressFilter('127.0.0.1'),
    'secret',
  ).fetchHeadOrUndefined(`${base}/`);
  t.match(proxied?.image, /^\/external_content\/[0-9a-f]{40}\/[0-9a-f]+$/);
});
