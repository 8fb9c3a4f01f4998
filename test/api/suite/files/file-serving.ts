/** How uploaded files are served: temporary addresses, parts, types (realm.md § Uploads and attachments). */

import { randomBytes } from 'node:crypto';
import { refused } from '../../harness.js';
import { bad } from '../../support/client.js';
import { look, NOT_FOUND, page, upload } from '../../support/files.js';
import { makeOrganization } from '../../support/organization.js';
import type { Facts } from '../facts.js';

export const fileServing: Facts = async (t, server) => {
  const org = await makeOrganization(server, ['member']);
  const { member } = org;
  const uri = await upload(member, 'ten.txt', '0123456789');
  const temporary = async (of: string): Promise<string> => {
    const { status, body } = await member.api.raw({ method: 'GET', path: `/api/v1${of}` });
    t.same([status, body.result, body.msg, Object.keys(body).length], [200, 'success', '', 3]);
    return String(body.url);
  };
  const open = (path: string) => org.nobody.raw({ method: 'GET', path });

  await t.test('a temporary address needs no log-in', async (t) => {
    const url = await temporary(uri);
    t.match(url, /^\/user_uploads\/temporary\/[A-Za-z0-9_-]+\/ten\.txt$/);
    t.same(page(await open(url)), [200, '0123456789']);
    const accented = await upload(member, 'żółć ö.txt', 'x');
    t.same(page(await open(await temporary(encodeURI(accented)))), [200, 'x']);
  });

  await t.test('a temporary address with a changed token or a changed name is invalid', async (t) => {
    const url = await temporary(uri);
    const [, , , token = ''] = url.split('/');
    const flipped = `${token.slice(0, 20)}${token[20] === 'A' ? 'B' : 'A'}${token.slice(21)}`;
    for (const wrong of [flipped, token.slice(1), 'x', `${token}AAAA`, '%00']) {
      await refused(t, open(`/user_uploads/temporary/${wrong}/ten.txt`), bad('Invalid token'), wrong);
    }
    await refused(t, open(`/user_uploads/temporary/${token}/eleven.txt`), bad('Invalid filename'));
  });

  await t.test('a temporary address of a file deleted since finds nothing', async (t) => {
    const gone = await upload(member, 'gone.txt');
    const url = await temporary(gone);
    const { attachments } = await member.api.ok<{ attachments: { id: number }[] }>('GET /attachments');
    await member.api.ok('DELETE /attachments/{attachment_id}', { attachment_id: attachments.at(-1)!.id });
    t.same(page(await open(url)), NOT_FOUND);
  });

  await t.test('a file that is too large to be read at once comes whole, and in parts', async (t) => {
    const bytes = randomBytes(17 * 1_048_576 + 1);
    const large = await upload(member, 'large.bin', bytes, 'application/octet-stream');
    const whole = await look(member, large);
    t.same([whole.status, whole.headers['content-length']], [200, String(bytes.length)]);
    t.ok(whole.bytes.equals(bytes));
    const part = await look(member, large, { range: 'bytes=5-' });
    t.same([part.status, part.bytes.equals(bytes.subarray(5))], [206, true]);
    const { status, headers } = await look(member, large, {}, 'HEAD');
    t.same([status, headers['content-length']], [200, String(bytes.length)]);
  });

  await t.test('one byte range of a file can be requested', async (t) => {
    const parts: [range: string, status: number, text: string, range: string | undefined][] = [
      ['bytes=0-3', 206, '0123', 'bytes 0-3/10'],
      ['bytes=4-', 206, '456789', 'bytes 4-9/10'],
      ['bytes=-3', 206, '789', 'bytes 7-9/10'],
      ['bytes=-30', 206, '0123456789', 'bytes 0-9/10'],
      ['bytes=9-99', 206, '9', 'bytes 9-9/10'],
      ['bytes=10-', 416, '', 'bytes */10'],
      ['bytes=-0', 416, '', 'bytes */10'],
      ['bytes=5-2', 200, '0123456789', undefined],
      ['bytes=0-1,3-4', 200, '0123456789', undefined],
      ['lines=1-2', 200, '0123456789', undefined],
      ['bytes=-', 200, '0123456789', undefined],
      ['bytes=99999999999999999999-', 416, '', 'bytes */10'],
    ];
    for (const [range, status, text, content] of parts) {
      const answer = await look(member, uri, { range });
      t.same([answer.status, answer.text, answer.headers['content-range']], [status, text, content], range);
      t.equal(answer.headers['content-length'], String(text.length));
    }
    t.equal((await look(member, uri)).headers['accept-ranges'], 'bytes');
  });

  await t.test('a client with the current version gets 304; a range needs that same version', async (t) => {
    const { etag } = (await look(member, uri)).headers as { etag: string };
    t.equal((await look(member, uri, { 'if-none-match': etag })).status, 304);
    t.equal((await look(member, uri, { 'if-none-match': `"x", W/${etag}` })).status, 304);
    t.equal((await look(member, uri, { 'if-none-match': '"x"' })).status, 200);
    t.equal((await look(member, uri, { range: 'bytes=0-1', 'if-range': etag })).status, 206);
    t.equal((await look(member, uri, { range: 'bytes=0-1', 'if-range': '"x"' })).status, 200);
  });

  await t.test('HEAD gives the size and no body', async (t) => {
    const head = await look(member, uri, {}, 'HEAD');
    t.same([head.status, head.text, head.headers['content-length']], [200, '', '10']);
  });

  await t.test(
    'pictures and PDF are displayed, other types are downloads, and no file becomes a page of this server',
    async (t) => {
      const kinds: [type: string, served: string, shown: boolean][] = [
        ['image/png', 'image/png', true],
        ['image/gif', 'image/gif', true],
        ['image/jpeg', 'image/jpeg', true],
        ['image/webp', 'image/webp', true],
        ['application/pdf', 'application/pdf', true],
        ['IMAGE/PNG; charset=x', 'image/png', true],
        ['image/svg+xml', 'image/svg+xml', false],
        ['text/html', 'text/html', false],
        ['text/plain', 'text/plain', false],
        ['nonsense', 'application/octet-stream', false],
        ['text/html, text/html', 'application/octet-stream', false],
      ];
      for (const [type, served, shown] of kinds) {
        const { headers } = await look(member, await upload(member, 'a "quoted" ö.bin', '<script>', type));
        t.equal(headers['content-type'], served, type);
        t.equal(
          headers['content-disposition'],
          `${shown ? 'inline' : 'attachment'}; filename="a-quoted-_.bin"; filename*=UTF-8''a-quoted-%C3%B6.bin`,
        );
        t.equal(headers['x-content-type-options'], 'nosniff');
        t.match(headers['content-security-policy'], /^default-src 'none'/);
        t.match(headers['cache-control'], /^private/);
      }
      const picture = await upload(member, 'x.png', 'x', 'image/png');
      const { headers } = await look(member, picture.replace('/user_uploads/', '/user_uploads/download/'));
      t.match(headers['content-disposition'], /^attachment/, 'asked to be saved');
    },
  );
};
