/**
 * Real nginx and HAProxy with the configurations of deploy/proxy, in front of the embedded face. Only ports, the
 * certificate and the folders of the programs are replaced.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { request } from 'node:https';
import { join } from 'node:path';
import { connect } from 'node:tls';
import t, { type Test } from 'tap';
import { basic } from '../api/support/client.js';
import { startEmbedded, type TestServer } from '../api/support/faces.js';
import { makeOrganization, type Person } from '../api/support/organization.js';
import { Queue } from '../api/support/queue.js';
import { FakeClock } from '../support/fake-clock.js';
import { freePort } from '../support/free-port.js';
import { until } from '../support/until.js';
import { remove, temporary } from './support/folders.js';
import { Child } from './support/process.js';

const MIB = 1_048_576;

const installed = (program: string): boolean => spawnSync(program, ['-v']).error === undefined;

/** Whether the programs are installed. Otherwise the test is skipped, and fails on CI. */
function needs(test: Test, ...programs: readonly string[]): boolean {
  const missing = programs.filter((program) => !installed(program));
  if (missing.length === 0) return true;
  const message = `not installed: ${missing.join(', ')} (apt-get install nginx-light haproxy openssl)`;
  if (process.env.CI) test.fail(message);
  else test.pass(`skipped: ${message}`, { skip: message });
  return false;
}

/** Contents of a file with replaced texts; a text that does not occur is an error. */
function substitute(file: string, what: Readonly<Record<string, string>>): string {
  let text = readFileSync(new URL(`../../../deploy/proxy/${file}`, import.meta.url), 'utf8');
  for (const [from, to] of Object.entries(what)) {
    if (!text.includes(from)) throw new Error(`${file} has no ${from}`);
    text = text.replaceAll(from, to);
  }
  return text;
}

interface Ports {
  readonly port: number;
  readonly frontend: number;
  readonly ops: number;
}

const PROXIES = {
  nginx(folder: string, { port, frontend }: Ports): readonly string[] {
    writeFileSync(
      join(folder, 'conclave.conf'),
      substitute('nginx.conf', {
        'listen 443': `listen 127.0.0.1:${port}`,
        'listen [::]:443 ssl http2;': '',
        '127.0.0.1:9991': `127.0.0.1:${frontend}`,
        'server_name chat.example.com *.chat.example.com;': 'server_name _;',
        '/etc/ssl/conclave/fullchain.pem': join(folder, 'cert.pem'),
        '/etc/ssl/conclave/privkey.pem': join(folder, 'key.pem'),
      }),
    );
    const temporaries = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
    writeFileSync(
      join(folder, 'nginx.conf'),
      [
        `daemon off; pid ${folder}/pid; error_log stderr; worker_processes 1;`,
        process.getuid?.() === 0 ? 'user root;' : '',
        'events { worker_connections 512; }',
        `http { access_log off; ${temporaries.map((name) => `${name}_temp_path ${folder}/${name};`).join(' ')}`,
        `include ${folder}/conclave.conf; }`,
      ].join('\n'),
    );
    return ['nginx', '-p', folder, '-c', join(folder, 'nginx.conf')];
  },
  haproxy(folder: string, { port, frontend, ops }: Ports): readonly string[] {
    writeFileSync(
      join(folder, 'haproxy.cfg'),
      substitute('haproxy.cfg', {
        'bind :443': `bind 127.0.0.1:${port}`,
        '127.0.0.1:9991': `127.0.0.1:${frontend}`,
        'port 9992': `port ${ops}`,
        '/etc/haproxy/conclave.pem': join(folder, 'both.pem'),
      }),
    );
    return ['haproxy', '-db', '-f', join(folder, 'haproxy.cfg')];
  },
} as const;

interface Asked {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** Local address from which the request is sent. */
  readonly from?: string;
}

interface Answered {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  // biome-ignore lint/suspicious/noExplicitAny: whatever the server sent
  json(): any;
}

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

t.test('nginx and HAProxy', async (t) => {
  if (!needs(t, 'nginx', 'haproxy', 'openssl')) return;
  const clock = new FakeClock(Date.now());
  const ops = await freePort();
  const server: TestServer = await startEmbedded({
    clock,
    options: { 'rate-limits': 'on', 'trusted-proxies': '127.0.0.1', 'ops-port': String(ops) },
  });
  t.teardown(() => server.close());
  const org = await makeOrganization(server, ['member']);
  const { member } = org;
  const host = `${org.subdomain}.localhost`;

  for (const kind of ['nginx', 'haproxy'] as const) {
    t.test(kind, async (t) => {
      const folder = temporary(kind);
      certificate(folder);
      const port = await freePort();
      const [program, ...args] = PROXIES[kind](folder, { port, frontend: server.nextPort(), ops });
      const child = new Child(program!, args, process.env);
      t.teardown(async () => {
        if (!child.over) process.kill(child.pid, 'SIGTERM');
        await child.ended;
        remove(folder);
      });

      const ask = (line: string, { headers, body, from = '127.0.0.1' }: Asked = {}): Promise<Answered> =>
        new Promise((resolve, reject) => {
          const [method = '', path = ''] = line.split(' ');
          const all = { host, ...headers };
          const one = request(
            {
              host: '127.0.0.1',
              port,
              method,
              path,
              headers: all,
              localAddress: from,
              rejectUnauthorized: false,
              agent: false,
            },
            (answer) => {
              const parts: Buffer[] = [];
              answer.on('data', (part: Buffer) => parts.push(part));
              answer.on('error', reject);
              answer.on('end', () => {
                const bytes = Buffer.concat(parts);
                const json = () => JSON.parse(bytes.toString('utf8'));
                resolve({ status: answer.statusCode ?? 0, headers: answer.headers, bytes, json });
              });
            },
          );
          one.on('error', reject);
          one.end(body);
        });
      const of = (person: Person) => ({ authorization: basic(person.email, person.key) });
      /** Sends the parts on one connection and reads until the connection closes. */
      const raw = async (parts: readonly string[]): Promise<string> => {
        const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false });
        await once(socket, 'secureConnect');
        socket.setNoDelay(true);
        let got = '';
        socket.on('data', (bytes: Buffer) => {
          got += bytes.toString('latin1');
        });
        socket.on('error', () => {});
        const closed = new Promise((resolve) => socket.once('close', resolve));
        for (const part of parts) await new Promise((resolve) => socket.write(part, resolve));
        await closed;
        return got;
      };
      const works = () =>
        ask('GET /api/v1/server_settings').then(
          ({ status }) => status === 200,
          () => false,
        );
      await until(`${kind} takes requests`, async () => {
        if (child.over) throw new Error(child.stderr);
        return works();
      });

      await t.test('requests with a sized body, a chunked body and no body pass', async (t) => {
        const me = await ask('GET /api/v1/users/me', { headers: of(member) });
        t.match([me.status, me.json()], [200, { user_id: member.id, email: member.email }]);
        t.equal((await ask('HEAD /api/v1/users/me', { headers: of(member) })).status, 200);
        for (const headers of [{}, { 'transfer-encoding': 'chunked' }]) {
          const content = `content of ${kind} ${JSON.stringify(headers)}`;
          const sent = await ask('POST /api/v1/messages', {
            headers: { ...of(member), ...FORM, ...headers },
            body: new URLSearchParams({ type: 'private', to: `[${member.id}]`, content }).toString(),
          });
          t.equal(sent.status, 200);
          const message = await ask(`GET /api/v1/messages/${sent.json().id}?apply_markdown=false`, {
            headers: of(member),
          });
          t.equal(message.json().message.content, content);
        }
      });

      await t.test('a poll waits until its heartbeat and is answered at once by an event', async (t) => {
        const queue = await Queue.register(member, { event_types: '["message"]' });
        const poll = (last: number) =>
          ask(`GET /api/v1/events?queue_id=${queue.id}&last_event_id=${last}`, { headers: of(member) });
        let settled = false;
        const beat = poll(-1).finally(() => {
          settled = true;
        });
        await until('the heartbeat arrives', () => {
          if (!settled) clock.advance(1_000);
          return settled;
        });
        const [event] = (await beat).json().events;
        t.equal(event.type, 'heartbeat');
        const next = poll(event.id);
        await ask('POST /api/v1/messages', {
          headers: { ...of(member), ...FORM },
          body: new URLSearchParams({ type: 'private', to: `[${member.id}]`, content: 'wakes the poll' }).toString(),
        });
        t.match((await next).json().events, [{ type: 'message' }]);
      });

      await t.test('timeouts of the proxy exceed the longest poll', async (t) => {
        const text = substitute(kind === 'nginx' ? 'nginx.conf' : 'haproxy.cfg', {});
        const names =
          kind === 'nginx' ? ['proxy_read_timeout', 'proxy_send_timeout'] : ['timeout client', 'timeout server'];
        for (const name of names) t.ok(Number(new RegExp(`^ *${name} (\\d+)s`, 'm').exec(text)?.[1]) > 100, name);
      });

      await t.test('uploads pass up to the size limit and are refused above it', async (t) => {
        const upload = (bytes: Buffer) => {
          const head = '--b\r\nContent-Disposition: form-data; name="f"; filename="f.bin"\r\n\r\n';
          return ask('POST /api/v1/user_uploads', {
            headers: { ...of(member), 'content-type': 'multipart/form-data; boundary=b' },
            body: Buffer.concat([Buffer.from(head), bytes, Buffer.from('\r\n--b--\r\n')]),
          });
        };
        const bytes = randomBytes(25 * MIB);
        const uploaded = await upload(bytes);
        t.equal(uploaded.status, 200);
        const file = await ask(`GET /api/v1${uploaded.json().uri}`, { headers: of(member) });
        const got = await ask(`GET ${file.json().url}`, { headers: of(member) });
        t.ok(got.bytes.equals(bytes), 'the downloaded file equals the upload');
        // The proxy may close the connection before it has read the whole body.
        const larger = await upload(randomBytes(26 * MIB)).catch((error: NodeJS.ErrnoException) => error.code);
        t.ok(
          typeof larger === 'string' || larger?.status === 413,
          `${typeof larger === 'object' ? larger.status : larger}`,
        );
      });

      await t.test("calls without an account are rate-limited by the client's address", async (t) => {
        clock.advance(120_000);
        const left = async (from: string, headers = {}): Promise<number> =>
          Number((await ask('GET /api/v1/server_settings', { from, headers })).headers['x-ratelimit-remaining']);
        const first = await left('127.0.0.2');
        t.equal(await left('127.0.0.3'), first, 'another address has a limit of its own');
        t.equal(await left('127.0.0.2'), first - 1);
        t.equal(
          await left('127.0.0.2', { 'x-forwarded-for': '192.0.2.1' }),
          first - 2,
          'a forwarded address sent by the client is ignored',
        );
      });

      await t.test('a request head in pieces and a long head pass', async (t) => {
        const lines = [
          'GET /api/v1/users/me',
          `?q=${'q'.repeat(20_000)} HTT`,
          `P/1.1\r\nHo`,
          `st: ${host}\r\nAuthorization: `,
        ];
        const rest = [of(member).authorization, '\r\nConnection: close\r', '\n\r', '\n'];
        t.match(await raw([...lines, ...rest]), /^HTTP\/1\.1 200 .*"ignored_parameters_unsupported":\["q"\]/s);
      });

      await t.test('the proxy refuses malformed requests, and requests that could end at two places', async (t) => {
        for (const headers of [
          'Content-Length:\r\nContent-Length: 3\r\n',
          'Transfer-Encoding:\r\nTransfer-Encoding: chunked\r\n',
          'Transfer-Encoding: chunked\r\nTransfer-Encoding:\r\n',
          'Transfer-Encoding:\r\n',
          'X-A: 1\rX-B: 2\r\n',
        ]) {
          const answer = await raw([
            `GET /api/v1/server_settings HTTP/1.1\r\nHost: ${host}\r\n${headers}Connection: close\r\n\r\n`,
          ]);
          t.match(answer, /^HTTP\/1\.1 (400|501) /, JSON.stringify(headers));
          t.notMatch(answer, '"result"', 'the refusal is not that of the frontend');
        }
        const lax = `POST /api/v1/server_settings HTTP/1.1\r\nHost: ${host}\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n`;
        for (const chunks of ['3\r\nabcXX0\r\n\r\n', 'g\r\nabc\r\n0\r\n\r\n']) {
          t.match(await raw([lax + chunks]), /^HTTP\/1\.1 4\d\d /, JSON.stringify(chunks));
        }
      });
    });
  }
});

function certificate(folder: string): void {
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  const args = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
  execFileSync('openssl', [...args, '-subj', '/CN=localhost', '-keyout', key, '-out', cert], { stdio: 'ignore' });
  writeFileSync(join(folder, 'both.pem'), Buffer.concat([readFileSync(cert), readFileSync(key)]));
}
