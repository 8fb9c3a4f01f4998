/** Access to an uploaded file, through its address and through the API (realm.md § Uploads and attachments). */

import { FORBIDDEN, look, NOT_FOUND, page, thumbnailOf, upload } from '../../support/files.js';
import { makeOrganization, type Person, say, subscribe, tell } from '../../support/organization.js';
import type { Facts } from '../facts.js';

export const fileAccess: Facts = async (t, server) => {
  const org = await makeOrganization(server);
  const elsewhere = await makeOrganization(server, []);
  const { owner, admin, moderator, member, other, guest } = org;
  await subscribe(owner, 'open', { principals: [owner, member] });
  await subscribe(member, 'closed', { invite_only: true, principals: [member, guest] });
  await subscribe(member, 'shared', {
    invite_only: true,
    history_public_to_subscribers: true,
    principals: [member, guest],
  });
  /** Names of the users who see the file; all ways to it must agree. */
  const seers = async (uri: string): Promise<string[]> => {
    const seen: string[] = [];
    for (const person of org.people) {
      const direct = page(await look(person, uri));
      const byKey = page(await org.nobody.raw({ method: 'GET', path: `${uri}?api_key=${person.key}` }));
      const temporary = await person.api.raw({ method: 'GET', path: `/api/v1${uri}` });
      const thumbnail = page(await look(person, thumbnailOf(uri, '300x200.webp')));
      const others = [byKey, thumbnail, page(temporary)];
      if (direct[0] === 200) {
        seen.push(person.role);
        t.strictSame(
          others.map(([status]) => status),
          [200, 200, 200],
          `${person.role}, all ways`,
        );
      } else {
        t.strictSame([direct, ...others], Array(4).fill(FORBIDDEN), `${person.role}, no way`);
      }
    }
    const host = `${org.subdomain}.localhost`;
    for (const path of [uri, thumbnailOf(uri, '300x200.webp')]) {
      t.same(page(await look(elsewhere.owner, path)), NOT_FOUND, 'in another organization there is no such file');
      t.same(page(await org.nobody.raw({ method: 'GET', path, headers: { host } })), FORBIDDEN, 'without an account');
    }
    return seen;
  };
  const linked = async (by: Person, send: (link: string) => Promise<unknown>): Promise<string[]> => {
    const uri = await upload(by);
    await send(`[x](${uri})`);
    return seers(uri);
  };

  await t.test('each role gets a temporary address, good for a minute, of a file that it may see', async (t) => {
    for (const person of org.people) {
      const uri = await upload(person, 'mine.txt', `of ${person.role}`);
      const [realm_id_str, ...rest] = uri.replace('/user_uploads/', '').split('/');
      const at = { realm_id_str, filename: rest.join('/') };
      const { url } = await person.api.ok<{ url: string }>('GET /user_uploads/{realm_id_str}/{filename}', at);
      t.same(page(await org.nobody.raw({ method: 'GET', path: url })), [200, `of ${person.role}`], person.role);
    }
  });

  await t.test('the owner of a file sees it', async (t) => t.same(await seers(await upload(member)), ['member']));
  await t.test('a recipient of a message that links a file sees the file', async (t) => {
    t.same(await linked(member, (link) => tell(member, [other, guest], link)), ['member', 'other', 'guest']);
  });
  await t.test('all users but guests see a file linked in a public stream', async (t) => {
    t.same(await linked(member, (link) => say(member, 'open', 'x', link)), [
      'owner',
      'admin',
      'moderator',
      'member',
      'other',
    ]);
  });
  await t.test(
    "subscribers of a private stream see a file linked there; administrators outside it don't",
    async (t) => {
      t.same(await linked(member, (link) => say(member, 'closed', 'x', link)), ['member', 'guest']);
    },
  );
  await t.test("later subscribers see a file of the stream's past where its history is shared", async (t) => {
    const closed = await upload(member);
    const shared = await upload(member);
    await say(member, 'closed', 'x', `[x](${closed})`);
    await say(member, 'shared', 'x', `[x](${shared})`);
    await subscribe(member, ['closed', 'shared'], { principals: [admin] });
    t.same(await seers(closed), ['member', 'guest']);
    t.same(await seers(shared), ['admin', 'member', 'guest']);
  });
  await t.test('any one of many linking messages gives access to the file', async (t) => {
    const uri = await upload(member);
    await tell(member, [moderator], `[x](${uri})`);
    // More messages than one batch of the check.
    await Promise.all(Array.from({ length: 120 }, () => tell(member, [other], `[x](${uri})`)));
    t.same(await seers(uri), ['moderator', 'member', 'other']);
  });

  await t.test('a recipient of the message may open the file at once', async (t) => {
    for (let i = 0; i < 10; i++) {
      const uri = await upload(member);
      await tell(member, [other], `[x](${uri})`);
      t.equal((await look(other, uri)).status, 200);
    }
  });

  await t.test('an address of no file is refused', async (t) => {
    const uri = await upload(member);
    const [, , realm, shard, token, name] = uri.split('/');
    const wrong = [
      `/user_uploads/${realm}/${shard}/${token}/another.txt`,
      `/user_uploads/${realm}/${Number(`0x${shard}`) === 1 ? 2 : 1}/${token}/${name}`,
      `/user_uploads/${realm}/${shard}/${token!.slice(0, -1)}${token!.endsWith('0') ? 1 : 0}/${name}`,
      `/user_uploads/${realm}/${shard}/zzzzzz${token!.slice(6)}/${name}`,
      `/user_uploads/${elsewhere.realm}/${shard}/${token}/${name}`,
      `/user_uploads/99999999999999999999/${shard}/${token}/${name}`,
      `/user_uploads/${realm}/aa/nosuch.txt`,
      `/user_uploads/${realm}/..%2f..%2f..%2fetc%2fpasswd`,
      `/user_uploads/${realm}/${shard}/${token}/${name}%00`,
      `/user_uploads/${realm}/${shard}/${token}/x/${name}`,
    ];
    for (const path of wrong) {
      for (const prefix of ['', '/api/v1']) {
        t.same(page(await member.api.raw({ method: 'GET', path: `${prefix}${path}` })), NOT_FOUND, `${prefix}${path}`);
      }
    }
    for (const path of ['/user_uploads', '/user_uploads/x/y', `/user_uploads/${realm}`, `${uri}/`]) {
      t.equal((await member.api.raw({ method: 'GET', path })).status, 404, path);
    }
  });

  await t.test('an address with a system bot as the owner is refused at once', async (t) => {
    const uri = (await upload(member)).replace(/\/\w{6}(?=\w{18}\/)/, '/000003');
    const host = `${org.subdomain}.localhost`;
    for (const path of [uri, `/api/v1${uri}`, thumbnailOf(uri, '300x200.webp')])
      t.same(page(await member.api.raw({ method: 'GET', path })), NOT_FOUND, path);
    t.same(page(await org.nobody.raw({ method: 'GET', path: uri, headers: { host } })), NOT_FOUND, 'to visitors, too');
    await tell(member, [other], `[x](${uri})`);
  });

  await t.test('wrong credentials are refused, even where none are needed', async (t) => {
    const uri = await upload(member);
    const get = (path: string, headers = {}) => org.nobody.raw({ method: 'GET', path, headers });
    const refusals = [
      await get(`${uri}?api_key=short`),
      await get(`${uri}?api_key=${'x'.repeat(32)}`),
      await get(uri, { authorization: 'Basic bm9uc2Vuc2U=' }),
    ];
    t.same(
      refusals.map(({ status, body }) => [status, body.code, body.msg]),
      [
        [401, 'INVALID_API_KEY', 'Malformed API key'],
        [401, 'INVALID_API_KEY', 'Invalid API key'],
        [401, 'UNAUTHORIZED', 'Invalid authorization header for basic auth'],
      ],
    );
    const { status, body } = await get(`/api/v1${uri}`);
    t.same([status, body.msg], [401, 'Not logged in: API authentication or user session required']);
    t.equal((await get(`/api/v1${uri}?api_key=${member.key}`)).status, 401, 'the API takes no keys in addresses');
  });
};
