/** Files and avatars of a web-public organization: the ones shown without an account, and the others. */

import { refused } from '../../harness.js';
import { FORBIDDEN, look, NOT_FOUND, page, thumbnailOf, upload } from '../../support/files.js';
import { makeOrganization, type Person, say, streamIdOf, subscribe, tell } from '../../support/organization.js';
import { leadsTo, lookAt, picture } from '../../support/pictures.js';
import type { Facts } from '../facts.js';

const NOBODY = { status: 401, msg: 'Not logged in: API authentication or user session required' };

export const fileVisitors: Facts = async (t, server) => {
  const org = await makeOrganization(server);
  const elsewhere = await makeOrganization(server, []);
  const { owner, member, other, guest } = org;
  const at = (subdomain: string) => org.nobody.with({ host: `${subdomain}.localhost` });
  const visitor = at(org.subdomain);
  await owner.api.ok('PATCH /realm', { enable_spectator_access: true });
  await owner.api.ok('POST /users/me/subscriptions', {
    subscriptions: [{ name: 'web' }, { name: 'later archived' }],
    principals: [owner.id, member.id],
    is_web_public: true,
  });
  await subscribe(owner, 'open', { principals: [owner, member] });
  const linked = async (where: string): Promise<string> => {
    const uri = await upload(member, 'x.txt', `in ${where}`);
    await say(member, where, 'files', `[x](${uri})`);
    return uri;
  };
  const asVisitor = (path: string) => visitor.raw({ method: 'GET', path });
  const statusFor = async (by: Person, uri: string): Promise<number> => (await look(by, uri)).status;

  await t.test('a file linked by a message of a web-public stream is shown to anonymous visitors', async (t) => {
    const uri = await linked('web');
    t.same(page(await asVisitor(uri)), [200, 'in web']);
    for (const by of org.people) t.equal(await statusFor(by, uri), 200, by.role);
    t.same(page(await asVisitor(uri.replace('/user_uploads/', '/user_uploads/download/'))), [200, 'in web']);
    t.same(page(await asVisitor(thumbnailOf(uri, '300x200.webp'))), [200, 'in web']);
    const part = await visitor.raw({ method: 'GET', path: uri, headers: { range: 'bytes=3-' } });
    t.same([part.status, part.text], [206, 'web']);
    t.match((await asVisitor(uri)).headers['cache-control'], /^private/);
    t.same(page(await at(elsewhere.subdomain).raw({ method: 'GET', path: uri })), NOT_FOUND, 'not elsewhere');
    await refused(t, asVisitor(`/api/v1${uri}`), NOBODY, 'addresses for a minute are for accounts');
  });

  await t.test('no other file is shown to visitors', async (t) => {
    const inPublic = await linked('open');
    const direct = await upload(member);
    await tell(member, [other], `[x](${direct})`);
    const unlinked = await upload(member);
    for (const uri of [inPublic, direct, unlinked]) t.same(page(await asVisitor(uri)), FORBIDDEN);
    t.same(page(await asVisitor(inPublic.replace('x.txt', 'y.txt'))), NOT_FOUND);
    t.equal(await statusFor(guest, inPublic), 403);
  });

  await t.test("a visitor's access ends with the message, with the stream, or when public access ends", async (t) => {
    const uri = await upload(member);
    const kept = await tell(member, [other], `[x](${uri})`);
    const message_id = await say(member, 'web', 'files', `[x](${uri})`);
    t.equal((await asVisitor(uri)).status, 200);
    await owner.api.ok('DELETE /messages/{message_id}', { message_id });
    t.same(page(await asVisitor(uri)), FORBIDDEN);
    t.ok(kept > 0 && (await statusFor(other, uri)) === 200);
    const archived = await linked('later archived');
    t.equal((await asVisitor(archived)).status, 200);
    await owner.api.ok('DELETE /streams/{stream_id}', { stream_id: await streamIdOf(owner, 'later archived') });
    t.same(page(await asVisitor(archived)), FORBIDDEN);
    const open = await linked('web');
    await owner.api.ok('PATCH /realm', { enable_spectator_access: false });
    t.same(page(await asVisitor(open)), FORBIDDEN);
    await owner.api.ok('PATCH /realm', { enable_spectator_access: true });
    t.equal((await asVisitor(open)).status, 200);
  });

  await t.test('visitors get avatars by user id, and by no address', async (t) => {
    const bytes = await picture('green');
    const { body } = await member.api.upload('POST /users/me/avatar', [{ name: 'a', bytes }]);
    const url = String(body.avatar_url);
    const medium = url.replace('.png', '-medium.png');
    for (const prefix of ['', '/api/v1']) {
      t.same(leadsTo(await asVisitor(`${prefix}/avatar/${member.id}`)), [302, url], prefix);
    }
    t.same(leadsTo(await asVisitor(`/avatar/${member.id}/medium`)), [302, medium]);
    t.equal((await asVisitor('/avatar/987654')).status, 302, 'nor who exists');
    await refused(t, asVisitor(`/avatar/${member.email}`), NOBODY);
    await refused(t, asVisitor(`/avatar/${member.email}/medium`), NOBODY);
    t.equal((await lookAt(visitor, url)).status, 200);
    await owner.api.ok('PATCH /realm', { enable_spectator_access: false });
    await refused(t, asVisitor(`/avatar/${member.id}`), NOBODY, 'closed again');
    t.equal((await lookAt(visitor, url)).status, 200, 'addresses of pictures are in pages of all kinds');
  });
};
