/** The page of the web client and its files, from a manifest made here. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { openWebClientServer } from '../../../src/app/server/web-client.js';
import { browserAndSystemNameOfUserAgent } from '../../../src/frontend/web/client-name.js';
import { ADAPTERS, openFrontend } from './both-adapters.js';
import type { RawClient, RawResponse } from './support.js';

const PAGE = '<!doctype html><title>Conclave</title>';
const SCRIPT = '/web/assets/main-ABC123.js';
const FONT = '/web/assets/katex-XYZ.woff2';
const CODINGS = { br: 1, gz: 1 };

/** A folder as the build leaves it. */
function built(t: Test, manifest?: object): string {
  const folder = t.testdir({
    secret: 'not a part of the client',
    web: {
      'index.html': PAGE,
      'index.html.br': 'br of the page',
      'index.html.gz': 'gzip of the page',
      assets: { 'main.js': 'plain', 'main.js.br': 'br', 'main.js.gz': 'gzip', 'katex.woff2': 'font' },
    },
  });
  const rows = manifest ?? {
    '/': { file: 'index.html', type: 'text/html; charset=utf-8', etag: '"p1"', encodings: CODINGS },
    [SCRIPT]: { file: 'assets/main.js', type: 'text/javascript; charset=utf-8', etag: '"s1"', encodings: CODINGS },
    [FONT]: { file: 'assets/katex.woff2', type: 'font/woff2', etag: '"f1"', encodings: {} },
  };
  writeFileSync(join(folder, 'web/manifest.json'), JSON.stringify(rows));
  return join(folder, 'web');
}

async function open(t: Test, kind: (typeof ADAPTERS)[number], web: 'on' | 'off', folder: string) {
  const client = await openWebClientServer({ web }, [join(folder, 'not-here'), folder]);
  const { client: connect } = await openFrontend(t, kind, [], { handleOtherPath: client.serve });
  const browser = await connect();
  const ask = async (line: string, headers: Record<string, string> = {}, over: RawClient = browser) => {
    over.request(line, headers);
    return (await over.response(line.startsWith('HEAD')))!;
  };
  return { ask, connect, client };
}

const withTag = ({ headers }: RawResponse): string => headers.etag!;

for (const kind of ADAPTERS) {
  t.test(`${kind}: the page comes with a strict policy and is asked for each time`, async (t) => {
    const { ask, client } = await open(t, kind, 'on', built(t));
    t.equal(client.hasPage, true);
    const { status, headers, text } = await ask('GET /?utm=x');
    t.same([status, text], [200, PAGE]);
    t.match(headers, {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-cache',
      etag: '"p1"',
      vary: 'Accept-Encoding',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'same-origin',
      'cross-origin-opener-policy': 'same-origin',
    });
    const policy = headers['content-security-policy']!.split('; ');
    for (const rule of [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "frame-ancestors 'none'",
      "base-uri 'none'",
      "require-trusted-types-for 'script'",
    ]) {
      t.ok(policy.includes(rule), rule);
    }
    t.notMatch(headers['content-security-policy']!, /unsafe|\*|https?:/);
    t.equal(headers['access-control-allow-origin'], undefined, 'other origins may not read the page');
  });

  t.test(`${kind}: files with a hash in their name are kept for a year, each form under its own tag`, async (t) => {
    const { ask } = await open(t, kind, 'on', built(t));
    for (const [accepted, coding, text] of [
      ['', undefined, 'plain'],
      ['br, gzip', 'br', 'br'],
      ['gzip, deflate', 'gzip', 'gzip'],
      ['gzip;q=1, br;q=0.5', 'gzip', 'gzip'],
      ['br;q=0, gzip;q=0', undefined, 'plain'],
      ['*', 'br', 'br'],
      ['*;q=0', undefined, 'plain'],
      ['identity;q=1, gzip;q=0.5', undefined, 'plain'],
      ['br;q=often', undefined, 'plain'],
      ['deflate', undefined, 'plain'],
    ] as const) {
      const answer = await ask(`GET ${SCRIPT}`, accepted === '' ? {} : { 'Accept-Encoding': accepted });
      t.same([answer.status, answer.headers['content-encoding'], answer.text], [200, coding, text], accepted);
      t.equal(withTag(answer), coding === undefined ? '"s1"' : `"s1-${coding}"`, accepted);
      t.match(answer.headers, {
        'cache-control': 'public, max-age=31536000, immutable',
        'content-type': 'text/javascript; charset=utf-8',
        vary: 'Accept-Encoding',
      });
    }
    const font = await ask(`GET ${FONT}`, { 'Accept-Encoding': 'br, gzip' });
    t.same([font.text, font.headers['content-encoding'], font.headers.vary], ['font', undefined, undefined]);
  });

  t.test(`${kind}: a browser that has the form is answered 304, and HEAD without the body`, async (t) => {
    const { ask, connect } = await open(t, kind, 'on', built(t));
    for (const [tags, status] of [
      ['"p1"', 304],
      ['W/"p1"', 304],
      ['"x", "p1"', 304],
      ['*', 304],
      ['"p1-br"', 200],
      ['p1', 200],
    ] as const) {
      const answer = await ask('GET /', { 'If-None-Match': tags });
      t.same([answer.status, answer.text === '', withTag(answer)], [status, status === 304, '"p1"'], tags);
    }
    t.equal((await ask('GET /', { 'If-None-Match': '"p1-br"', 'Accept-Encoding': 'br' })).status, 304);
    const head = await ask('HEAD /', {}, await connect());
    t.match([head.status, head.headers], [200, { etag: '"p1"', 'content-length': String(PAGE.length) }]);
  });

  t.test(`${kind}: nothing but the files of the manifest is served, whatever the path`, async (t) => {
    const { ask, connect } = await open(t, kind, 'on', built(t));
    for (const path of [
      '/index.html',
      '/manifest.json',
      '/web',
      '/web/',
      '/web/assets',
      '/web/assets/',
      '/web/assets/main.js',
      `${SCRIPT}/`,
      `${SCRIPT}.br`,
      `/${SCRIPT}`,
      SCRIPT.toUpperCase(),
      SCRIPT.replace('main', '%6dain'),
      '/web/assets/../index.html',
      '/web/assets/%2e%2e/manifest.json',
      '/web/assets/..%2f..%2fsecret',
      '/web/assets/..\\..\\secret',
      '/../secret',
      '/web/../../secret',
      '/%00',
      '/web/assets/main-ABC123.js%00.png',
      '/__proto__',
      '/constructor',
      `/${'a/'.repeat(2_000)}`,
    ]) {
      const answer = await ask(`GET ${path}`, {}, await connect());
      t.same([answer.status, answer.text.includes('not a part')], [404, false], path.slice(0, 60));
    }
    for (const method of ['POST', 'PUT', 'DELETE', 'PATCH']) {
      t.equal((await ask(`${method} /`, {}, await connect())).status, 404, method);
    }
  });

  t.test(`${kind}: icons, robots.txt and the description for installing have fixed addresses`, async (t) => {
    const { ask } = await open(t, kind, 'on', built(t));
    const description = await ask('GET /site.webmanifest');
    t.equal(description.headers['content-type'], 'application/manifest+json');
    const { icons, start_url } = description.json() as { icons: { src: string }[]; start_url: string };
    t.equal(start_url, '/');
    for (const path of ['/favicon.ico', ...icons.map(({ src }) => src)]) {
      const icon = await ask(`GET ${path}`);
      t.same([icon.status, icon.headers['content-type']], [200, 'image/png'], path);
      t.equal(icon.bytes.toString('latin1', 1, 4), 'PNG', path);
      t.equal((await ask(`GET ${path}`, { 'If-None-Match': withTag(icon) })).status, 304, path);
    }
    t.match((await ask('GET /robots.txt')).text, /Disallow: \//);
  });

  t.test(`${kind}: turned off, or not built, there is no page`, async (t) => {
    const folderOfBuild = built(t);
    for (const [web, folder] of [
      ['off', folderOfBuild],
      ['on', join(folderOfBuild, 'assets')],
    ] as const) {
      const { ask, client } = await open(t, kind, web, folder);
      t.equal(client.hasPage, false);
      for (const path of ['/', SCRIPT, '/favicon.ico', '/robots.txt', '/site.webmanifest']) {
        const answer = await ask(`GET ${path}`);
        t.same([answer.status, answer.json()], [404, { result: 'error', msg: 'Not Found' }], `${web} ${path}`);
      }
    }
  });
}

t.test('turned off, the server has no sessions either', async (t) => {
  const [on, off] = [await openWebClientServer({ web: 'on' }, []), await openWebClientServer({ web: 'off' }, [])];
  const ours = (of: typeof on): string[] =>
    of.operations.filter(({ path }) => path.startsWith('/web/')).map(({ id }) => id);
  t.not(ours(on).length, 0);
  t.same(ours(off), []);
});

t.test('a manifest that names files wrongly stops the start', async (t) => {
  const row = { file: 'index.html', type: 'text/html', etag: 'x' };
  for (const [address, wrong] of [
    ['no-slash', row],
    ['/', { ...row, file: '../secret' }],
    ['/', { ...row, file: '/etc/hostname' }],
    ['/', { ...row, file: 1 }],
    ['/', { ...row, type: undefined }],
    ['/', { ...row, etag: 'a"b' }],
    ['/', { ...row, etag: 'a\r\nb' }],
    ['/', { ...row, file: 'missing.html' }],
  ] as const) {
    await t.rejects(openWebClientServer({ web: 'on' }, [built(t, { [address]: wrong })]), JSON.stringify(wrong));
  }
  const folder = t.testdir({});
  mkdirSync(join(folder, 'web'));
  writeFileSync(join(folder, 'web/manifest.json'), '{');
  await t.rejects(openWebClientServer({ web: 'on' }, [join(folder, 'web')]));
});

t.test('a browser is named in words', (t) => {
  const linux = 'Mozilla/5.0 (X11; Linux x86_64)';
  for (const [userAgent, name] of [
    [`${linux} AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36`, 'Chrome on Linux'],
    [`${linux} Gecko/20100101 Firefox/140.0`, 'Firefox on Linux'],
    ['Mozilla/5.0 (Windows NT 10.0) Chrome/140.0.0.0 Safari/537.36 Edg/140.0', 'Edge on Windows'],
    ['Mozilla/5.0 (Linux; Android 15) Chrome/140.0.0.0 Mobile Safari/537.36', 'Chrome on Android'],
    ['Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Mobile Safari/604.1', 'Safari on iOS'],
    ['Mozilla/5.0 (Macintosh; Intel Mac OS X 15_0) Version/18.0 Safari/605.1.15', 'Safari on macOS'],
    ['', 'Browser'],
    ['<script>alert(1)</script>', 'Browser'],
    ['x'.repeat(100_000), 'Browser'],
  ] as const) {
    t.equal(browserAndSystemNameOfUserAgent(userAgent), name);
  }
  t.end();
});
