/** Fetches from servers that are slow, large or wrong, or redirect. All of them are on loopback. */

import type { ServerResponse } from 'node:http';
import { createServer } from 'node:net';
import t, { type Test } from 'tap';
import { OutgoingAddressFilter } from '#base';
import {
  DEFAULT_IMAGE_FETCH_LIMITS,
  ImageFetcher,
  type ImageFetchFailureReason,
  type ImageFetchLimits,
} from '#frontend/image-proxy';
import { Hook, type HookCall } from '../../api/support/hook.js';
import { picture } from '../../api/support/pictures.js';
import { FakeClock } from '../../support/fake-clock.js';
import { until } from '../../support/until.js';

const png = await picture('red');
const server = await Hook.start();
t.teardown(() => server.close());
const at = (path: string): string => new URL(path, server.url).href;
const respond = (answer: (response: ServerResponse, call: HookCall) => void): void => {
  server.answer = answer;
  server.calls.length = 0;
};
const redirect =
  (to: string, status = 302) =>
  (response: ServerResponse): void => {
    response.writeHead(status, { location: to }).end(png);
  };

const clock = new FakeClock();
const fetcher = (limits: Partial<ImageFetchLimits> = {}, allowed = '127.0.0.1') =>
  new ImageFetcher(clock, new OutgoingAddressFilter(allowed), { ...DEFAULT_IMAGE_FETCH_LIMITS, ...limits });
const usual = fetcher();
const fails = (t: Test, fetch: Promise<unknown>, fault: ImageFetchFailureReason, title?: string) =>
  t.rejects(fetch, { name: 'ImageFetchError', fault }, title ?? fault);

t.test('a picture is returned unchanged, under the type of its bytes; no data of the reader is sent', async (t) => {
  respond((response) => response.writeHead(200, { 'content-type': 'text/html' }).end(png));
  t.same(await usual.fetch(at('/a.png?x=1')), { type: 'image/png', bytes: png });
  const [call] = server.calls;
  t.same([call?.method, call?.path], ['GET', '/a.png?x=1']);
  const names = ['accept', 'accept-encoding', 'connection', 'host', 'user-agent'];
  t.same(Object.keys(call!.headers).sort(), names);
  await usual.fetch(at('/a.png').replace('//', '//name:password@'));
  t.equal(server.calls[1]!.headers.authorization, undefined, 'nor what an address has before the @');
});

t.test('a few redirects are followed', async (t) => {
  respond((response, { path }) => {
    const left = Number(path.slice(1));
    if (left === 0) response.end(png);
    else redirect(`/${left - 1}`, [301, 302, 303, 307, 308][left])(response);
  });
  t.equal((await usual.fetch(at('/4'))).type, 'image/png');
  t.equal(server.calls.length, 5);
  await fails(t, usual.fetch(at('/5')), 'refused', 'five are too many');
  t.equal(server.calls.length, 10);
  for (const to of ['ftp://127.0.0.1/', 'file:///etc/passwd', 'data:image/png,x', 'http://', '']) {
    respond(redirect(to));
    await fails(t, usual.fetch(at('/a')), 'refused', to);
  }
  respond((response) => response.writeHead(302).end());
  await fails(t, usual.fetch(at('/a')), 'refused', 'to nowhere');
});

t.test('addresses of special networks are refused by number, by name and by redirect', async (t) => {
  respond((response) => response.end(png));
  const { port } = new URL(server.url);
  const strict = fetcher({}, '');
  for (const host of ['127.0.0.1', 'localhost', '[::1]', '[::ffff:127.0.0.1]', '0.0.0.0', '2130706433', '0x7f.1']) {
    await fails(t, strict.fetch(`http://${host}:${port}/a.png`), 'unreachable', host);
  }
  t.equal(server.calls.length, 0);
  // 127.0.0.2 is the same server for a fetcher that may reach it.
  for (const host of ['127.0.0.2', '[::1]', '169.254.169.254', '10.0.0.1', '2130706434']) {
    respond((response, { path }) => redirect(path === '/a' ? '/b' : `http://${host}:${port}/c`)(response));
    await fails(t, usual.fetch(at('/a')), 'unreachable', `redirect to ${host}`);
    t.same(
      server.calls.map(({ path }) => path),
      ['/a', '/b'],
    );
  }
});

t.test('a body that is no picture is not read to its end', async (t) => {
  const kinds = {
    page: '<!doctype html><script>alert(1)</script>',
    SVG: '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
    text: 'x'.repeat(100_000),
    nothing: '',
  };
  for (const [title, body] of Object.entries(kinds)) {
    respond((response) => response.writeHead(200, { 'content-type': 'image/png' }).end(body));
    await fails(t, usual.fetch(at('/a.png')), 'no-picture', title);
  }
  respond((response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(png));
  await fails(t, usual.fetch(at('/a.png')), 'no-picture', 'compressed');
  let closed = false;
  respond((response) => {
    response.on('close', () => {
      closed = true;
    });
    response.write('x'.repeat(64));
  });
  await fails(t, usual.fetch(at('/a.png')), 'no-picture', 'while its server goes on');
  await until('the connection ends', () => closed);
});

t.test('server errors and missing pictures have different refusals', async (t) => {
  for (const [status, fault] of [
    [404, 'gone'],
    [410, 'gone'],
    [403, 'refused'],
    [500, 'refused'],
    [206, 'refused'],
    [304, 'refused'],
  ] as const) {
    respond((response) => response.writeHead(status).end(status === 304 ? undefined : png));
    await fails(t, usual.fetch(at('/a.png')), fault, String(status));
  }
  respond((response) => void response.destroy());
  await fails(t, usual.fetch(at('/a.png')), 'unreachable', 'no answer');
  respond((response) => {
    response.writeHead(200, { 'content-length': '1000' });
    response.write(png, () => response.destroy());
  });
  await fails(t, usual.fetch(at('/a.png')), 'unreachable', 'half an answer');
  const closed = createServer();
  await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve));
  const { port } = closed.address() as { port: number };
  await new Promise((resolve) => closed.close(resolve));
  await fails(t, usual.fetch(`http://127.0.0.1:${port}/`), 'unreachable', 'no server');
  await fails(t, usual.fetch('http://no.such.host.invalid/'), 'unreachable', 'no such name');
  await fails(t, usual.fetch(at('/').replace('http:', 'https:')), 'unreachable', 'no TLS');
});

t.test('the size of a picture is limited, announced or not, and so is that of all concurrent fetches', async (t) => {
  const rest = Buffer.alloc(10_000 - png.length);
  const send =
    (length: number, announced: boolean) =>
    (response: ServerResponse): void => {
      if (announced) response.setHeader('content-length', length);
      response.write(png);
      response.end(Buffer.concat([rest, Buffer.alloc(length - 10_000)]));
    };
  const small = fetcher({ maxBytes: 10_000 });
  for (const announced of [true, false]) {
    respond(send(10_000, announced));
    t.equal((await small.fetch(at('/a.png'))).bytes.byteLength, 10_000);
    respond(send(10_001, announced));
    await fails(t, small.fetch(at('/a.png')), 'too-large', announced ? 'announced' : 'not announced');
  }
  const held: ServerResponse[] = [];
  respond((response, { path }) => {
    if (path === '/held') held.push(response.on('close', () => undefined));
    else response.end(Buffer.concat([png, rest]));
    if (path === '/held') response.write(Buffer.concat([png, rest]));
  });
  const few = fetcher({ maxMemoryBytes: 19_999 });
  const first = few.fetch(at('/held'));
  await until('the first is under way', () => held.length === 1);
  await until('its bytes count', async () => {
    try {
      await few.fetch(at('/a.png'));
      return false;
    } catch (error) {
      return (error as { fault?: string }).fault === 'busy';
    }
  });
  held[0]!.end();
  t.equal((await first).bytes.byteLength, 10_000);
  t.equal((await few.fetch(at('/a.png'))).bytes.byteLength, 10_000, 'what has ended counts no more');
});

t.test('a fetch ends after 10 seconds, in whichever phase it hangs', async (t) => {
  const places: Record<string, (response: ServerResponse) => void> = {
    'before the answer': () => undefined,
    'in the picture': (response) => void response.write(png),
    'after a redirect': (response) => redirect('/a.png')(response),
  };
  for (const [title, hang] of Object.entries(places)) {
    let wanted = 0;
    let closed = false;
    respond((response, { path }) => {
      wanted++;
      if (path !== '/first' && title === 'after a redirect') places['before the answer']!(response);
      else hang(response);
      response.on('close', () => {
        closed = true;
      });
    });
    const fetching = usual.fetch(at('/first'));
    fetching.catch(() => undefined);
    await until('it is asked', () => wanted === (title === 'after a redirect' ? 2 : 1));
    clock.advance(9_999);
    t.equal(await Promise.race([fetching.catch(String), 'under way']), 'under way', title);
    clock.advance(1);
    await fails(t, fetching, 'too-slow', title);
    await until('its connection ends', () => closed);
  }
  t.equal(clock.next(), undefined, 'no timer is left');
});
