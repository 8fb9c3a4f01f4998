/** Pictures that other hosts have reach readers through this server (markdown.md § Previews). */
import type { ServerResponse } from 'node:http';
import { Hook } from '../../support/hook.js';
import { makeOrganization, say, subscribe } from '../../support/organization.js';
import { lookAt, picture } from '../../support/pictures.js';
import type { ApiMessage } from '../../support/types.js';
import type { Facts } from '../facts.js';

export const externalPictures: Facts = async (t, server) => {
  const org = await makeOrganization(server);
  const { owner, member, nobody } = org;
  await subscribe(owner, 'gallery', { principals: [owner, member] });
  const host = await Hook.start();
  t.teardown(() => host.close());
  const png = await picture('teal');
  const at = (path: string): string => new URL(path, host.url).href;
  const answer = (respond: (response: ServerResponse) => void): void => {
    host.answer = respond;
    host.calls.length = 0;
  };
  const content = async (text: string): Promise<string> => {
    const id = await say(owner, 'gallery', 'pictures', text);
    return (await member.api.ok<{ message: ApiMessage }>('GET /messages/{message_id}', { message_id: id })).message
      .content;
  };
  const sourceIn = (html: string): string => /<img src="([^"]*)">/.exec(html)?.[1] ?? '';
  /** Path under which readers get the picture of this address. */
  const source = async (url: string): Promise<string> => sourceIn(await content(url));
  const refusal = async (url: string): Promise<[number, string]> => {
    const { status, text } = await lookAt(nobody, await source(url));
    return [status, text];
  };

  await t.test('a message shows an external picture from this server, and links the original', async (t) => {
    const url = at('/one.png?size=1');
    const hex = Buffer.from(url).toString('hex');
    const html = await content(url);
    t.match(html, `<a href="${url}"><img src="/external_content/`);
    t.match(sourceIn(html), new RegExp(`^/external_content/[0-9a-f]{40}/${hex}$`));
    const { rendered } = await member.api.ok<{ rendered: string }>('POST /messages/render', { content: url });
    t.equal(rendered, html);
    t.equal(sourceIn(await content(`${url}\n${'many words '.repeat(300)}`)), sourceIn(html), 'also in long messages');
    const video = sourceIn(await content('https://www.youtube.com/watch?v=hx1mjT73xYE'));
    t.equal(Buffer.from(video.split('/')[3]!, 'hex').toString(), 'https://i.ytimg.com/vi/hx1mjT73xYE/default.jpg');
    // Newer levels show own files smaller.
    const own = server.level === undefined ? '1/x/own.png' : 'thumbnail/1/x/own.png/840x560.webp';
    t.equal(await source('[own](/user_uploads/1/x/own.png)'), `/user_uploads/${own}`, 'own files are none of them');
  });

  await t.test('the proxied picture needs no log-in, and its headers forbid everything but display', async (t) => {
    answer((response) => response.writeHead(200, { 'set-cookie': 'a=b', 'content-type': 'text/html' }).end(png));
    const path = await source(at('/two.png'));
    const cookies = { cookie: 'session=1', referer: 'https://chat.example.com/', 'x-forwarded-for': '192.0.2.7' };
    const seen = await lookAt(nobody, path, cookies);
    t.equal(seen.status, 200);
    t.same(seen.bytes, png);
    t.match(seen.headers, {
      'content-type': 'image/png',
      'content-length': String(png.length),
      'content-security-policy': "default-src 'none'; sandbox",
      'x-content-type-options': 'nosniff',
      'cache-control': 'public, max-age=86400, immutable',
      etag: /^"[0-9a-f]{40}"$/,
    });
    t.equal(seen.headers['set-cookie'], undefined);
    t.same(Object.keys(host.calls[0]!.headers).sort(), [
      'accept',
      'accept-encoding',
      'connection',
      'host',
      'user-agent',
    ]);
    const again = await lookAt(nobody, path, { 'if-none-match': String(seen.headers.etag) });
    t.same([again.status, again.text], [304, '']);
    const head = await nobody.raw({ method: 'HEAD', path });
    t.same([head.status, head.text, head.headers['content-length']], [200, '', String(png.length)]);
    const part = await lookAt(nobody, path, { range: 'bytes=0-7' });
    t.same([part.status, part.bytes], [206, png.subarray(0, 8)]);
    const { authorization } = member.api.headers;
    t.equal((await lookAt(nobody, path, { authorization })).status, 200, 'mobile clients send their credentials');
  });

  await t.test('the proxy fetches only addresses that this server signed', async (t) => {
    answer((response) => response.end(png));
    const [, , digest = '', hex = ''] = (await source(at('/three.png'))).split('/');
    const other = Buffer.from(at('/other.png')).toString('hex');
    const turned = digest.replace(/^./, (first) => (first === '0' ? '1' : '0'));
    for (const path of [`${digest}/${other}`, `${turned}/${hex}`, `${digest}/${hex}00`, `${digest}/zz`, `x/${hex}`]) {
      const { status, text } = await lookAt(nobody, `/external_content/${path}`);
      t.same([status, text], [403, '<p>This server shows no such picture.</p>'], path);
    }
    for (const path of [digest, `${digest}/`, `${digest}/${hex}/x`]) {
      t.equal((await lookAt(nobody, `/external_content/${path}`)).status, 404, path);
    }
    t.same(host.calls, []);
  });

  await t.test('a file that is no picture, missing, or unreachable gets a short refusal', async (t) => {
    const unfit = [502, '<p>Its server gave no picture that is shown here.</p>'];
    const unavailable = [502, '<p>The picture could not be loaded from its server.</p>'];
    answer((response) => {
      response.setHeader('content-type', 'image/svg+xml');
      response.end('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>');
    });
    t.same(await refusal(at('/drawing.png')), unfit, 'an SVG');
    answer((response) => response.writeHead(404).end(png));
    t.same(await refusal(at('/gone.png')), [404, '<p>File not found.</p>']);
    answer((response) => response.writeHead(500).end(png));
    t.same(await refusal(at('/broken.png')), unavailable);
    answer((response) => response.writeHead(200, { 'content-length': String(11 * 1_048_576) }).end(png));
    t.same(await refusal(at('/large.png')), unfit, 'above 10 MiB');
    const elsewhere = (path: string): string => at(path).replace('127.0.0.1', '127.0.0.2');
    answer((response) => response.end(png));
    t.same(await refusal(elsewhere('/private.png')), unavailable, 'in a network that is not allowed');
    t.same(host.calls, []);
    answer((response) => response.writeHead(302, { location: elsewhere('/private2.png') }).end());
    t.same(await refusal(at('/leads.png')), unavailable, 'nor by a redirect');
    t.same(
      host.calls.map(({ path }) => path),
      ['/leads.png'],
    );
  });
};
