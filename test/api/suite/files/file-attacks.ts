/** Uploads that no client should send: forms in pieces, names and types that lie. */
import { attachmentsOf, look, upload } from '../../support/files.js';
import { makeOrganization } from '../../support/organization.js';
import { picture } from '../../support/pictures.js';
import { Queue, settled } from '../../support/queue.js';
import type { Facts } from '../facts.js';

const CRLF = '\r\n';
const part = (head: string, body: string): string => `--B${CRLF}${head}${CRLF}${CRLF}${body}${CRLF}`;
const disposition = (rest: string): string => `Content-Disposition: form-data; name="f"; ${rest}`;
const END = `--B--${CRLF}`;

/** Title, body, and the resulting file; undefined if the form is refused. */
const FORMS: readonly (readonly [title: string, body: string, taken?: string])[] = [
  ['nothing', ''],
  ['no boundary in it', 'hello'],
  ['only a boundary', '--B'],
  ['only an end', END],
  ['a part without an end', part(disposition('filename="a"'), 'x')],
  ['a part without a head', `--B${CRLF}${CRLF}x${CRLF}${END}`],
  ['a head without an end', `--B${CRLF}${disposition('filename="a"')}`],
  ['a field instead of a file', part('Content-Disposition: form-data; name="f"', 'x') + END],
  ['a thousand files', part(disposition('filename="a"'), 'x').repeat(1_000) + END],
  ['ten thousand fields', part('Content-Disposition: form-data; name="f"', '').repeat(10_000) + END],
  ['a boundary that goes on', `--BB${CRLF}${disposition('filename="a"')}${CRLF}${CRLF}x${CRLF}--BB--`],
  ['folders in the name', part(disposition('filename="../../etc/passwd"'), 'in it') + END, 'in it'],
  ['folders of Windows', part(disposition('filename="C:\\\\temp\\\\..\\\\x.exe"'), 'in it') + END, 'in it'],
  ['an encoded path', part(disposition('filename="%2e%2e%2f%00%0d%0aSet-Cookie: a=b"'), 'in it') + END, 'in it'],
  ['a name in the extended form', part(disposition("filename*=UTF-8''%2e%2e%2fx%00y"), 'in it') + END, 'in it'],
  ['a name of a zero byte', part(disposition('filename="\0"'), 'in it') + END, 'in it'],
  ['a long name', part(disposition(`filename="${'x'.repeat(20_000)}"`), 'in it') + END],
  ['a length that lies', part(`${disposition('filename="a"')}${CRLF}Content-Length: 99999`, 'in it') + END, 'in it'],
  [
    'an encoding',
    part(`${disposition('filename="a"')}${CRLF}Content-Transfer-Encoding: base64`, 'aW4gaXQ=') + END,
    'aW4gaXQ=',
  ],
  [
    'a form in the form',
    part(`${disposition('filename="a"')}${CRLF}Content-Type: multipart/mixed; boundary=C`, '--C--') + END,
    '--C--',
  ],
  [
    'a type with more in it',
    part(`${disposition('filename="a"')}${CRLF}Content-Type: text/html\r\n X: <script>`, 'in it') + END,
    'in it',
  ],
];

export const fileAttacks: Facts = async (t, server) => {
  const { member, nobody } = await makeOrganization(server, ['member']);
  const send = (body: string | Uint8Array, type = 'multipart/form-data; boundary=B') =>
    member.api.raw({ method: 'POST', path: '/api/v1/user_uploads', headers: { 'content-type': type }, body });

  await t.test('a form of any kind is taken or refused, and a refused one leaves nothing', async (t) => {
    for (const [title, body, taken] of FORMS) {
      const before = await attachmentsOf(member);
      const queue = await Queue.register(member, { event_types: ['attachment', 'message'] });
      const answer = await send(body);
      const after = await attachmentsOf(member);
      if (answer.status === 200) {
        const uri = String(answer.body.uri);
        t.match(uri, /^\/user_uploads\/\d+\/[0-9a-f]{1,2}\/[0-9A-Za-z]{24}\/[^/\\]+$/, title);
        const file = await look(member, uri);
        if (taken !== undefined) t.equal(file.text, taken, title);
        t.match(file.headers, { 'x-content-type-options': 'nosniff', 'content-disposition': /^attachment; / });
        t.equal(file.headers['set-cookie'], undefined);
        t.equal(after.attachments.length, before.attachments.length + 1);
      } else {
        t.equal(taken, undefined, `${title} is taken`);
        t.match([answer.status, answer.body], [400, { result: 'error', code: 'BAD_REQUEST' }], title);
        t.same(after, before);
        t.same(await settled(queue), []);
      }
      await queue.delete();
    }
  });

  await t.test('a body that is no multipart form is refused, whatever its type', async (t) => {
    const body = part(disposition('filename="a"'), 'x') + END;
    for (const type of [
      'multipart/form-data',
      'multipart/form-data; boundary=',
      `multipart/form-data; boundary=${'B'.repeat(5_000)}`,
      'multipart/mixed; boundary=B',
      'text/plain',
      'application/x-www-form-urlencoded',
      '\t;',
    ]) {
      const answer = await send(body, type);
      t.match([answer.status, answer.body.result], [400, 'error'], type);
    }
  });

  await t.test('the declared type of a file decides how it is shown, and never makes it a page', async (t) => {
    const page = '<html><script>alert(document.domain)</script></html>';
    const svg = '<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>';
    for (const [name, bytes, type, shown] of [
      ['a.html', page, 'text/html', false],
      ['a.svg', svg, 'image/svg+xml', false],
      ['a.xml', svg, 'application/xml', false],
      ['a.js', 'alert(1)', 'text/javascript', false],
      ['a.html', page, 'image/png', true],
      ['a.png', await picture('red'), 'text/html', false],
      ['a.html', page, 'text/html\0image/png', false],
      ['a.html', page, '', false],
    ] as const) {
      const { headers } = await look(member, await upload(member, name, bytes, type));
      const title = `${name} as ${type}`;
      t.match(headers['content-disposition'], shown ? /^inline/ : /^attachment/, title);
      t.match(headers, { 'x-content-type-options': 'nosniff', 'content-security-policy': /^default-src 'none'/ });
      if (shown)
        t.equal(headers['content-type'], 'image/png', 'a browser that is told not to sniff shows a broken picture');
    }
  });

  await t.test('a picture or PDF that came without a telling type is shown in place', async (t) => {
    const show = async (name: string, type: string) => {
      const answer = await send(part(`${disposition(`filename="${name}"`)}${type}`, 'any bytes') + END);
      const { headers } = await look(member, String(answer.body.uri));
      return [headers['content-type'], String(headers['content-disposition']).split(';')[0]];
    };
    t.same(await show('a.png', ''), ['image/png', 'inline']);
    t.same(await show('a.pdf', `${CRLF}Content-Type: application/octet-stream`), ['application/pdf', 'inline']);
    t.same(await show('a.jpg', `${CRLF}Content-Type: image/jpg`), ['image/jpeg', 'inline']);
    t.same(await show('a.html', ''), ['text/html', 'attachment']);
  });

  await t.test('HEAD has the headers of GET on every address of a file', async (t) => {
    const uri = await upload(member, 'ten.txt', '0123456789');
    const { body } = await member.api.raw({ method: 'GET', path: `/api/v1${uri}` });
    const avatar = await member.api.upload('POST /users/me/avatar', [{ name: 'a', bytes: await picture('red') }]);
    for (const [by, path] of [
      [member.api, uri],
      [member.api, uri.replace('/user_uploads/', '/user_uploads/download/')],
      [nobody, String(body.url)],
      [nobody, String(avatar.body.avatar_url)],
    ] as const) {
      const [get, head] = [await by.raw({ method: 'GET', path }), await by.raw({ method: 'HEAD', path })];
      t.same([head.status, head.text], [200, '']);
      for (const name of ['content-length', 'content-type', 'etag', 'content-disposition', 'accept-ranges']) {
        t.equal(head.headers[name], get.headers[name], `${path} ${name}`);
      }
    }
    const other = await nobody.raw({ method: 'HEAD', path: uri });
    t.equal(other.status, (await nobody.raw({ method: 'GET', path: uri })).status, 'and no more');
  });
};
