/** GET /avatar, and the addresses of avatars (users.md § Avatars). */

import { refused } from '../../harness.js';
import { makeOrganization, type Person } from '../../support/organization.js';
import { gravatar, leadsTo, lookAt, picture } from '../../support/pictures.js';
import type { Answer, Fields } from '../../support/types.js';
import type { Facts } from '../facts.js';

const NOT_LOGGED_IN = { status: 401, msg: 'Not logged in: API authentication or user session required' };

export const avatarAddresses: Facts = async (t, server) => {
  const org = await makeOrganization(server);
  const elsewhere = await makeOrganization(server, []);
  const { member, other, guest } = org;
  const bytes = await picture('#00ff00');
  const put = (by: Person): Promise<Answer> => by.api.upload('POST /users/me/avatar', [{ name: 'a.png', bytes }]);
  const urlOf = (answer: Answer): string => String(answer.body.avatar_url);
  const me = (by: Person) => by.api.ok<Fields>('GET /users/me');
  const look = (url: string) => lookAt(org.nobody, url);

  await t.test('addresses of pictures reach no other file', async (t) => {
    const url = urlOf(await put(member));
    const [path = ''] = url.split('?');
    const [, , realm, name] = path.split('/');
    for (const wrong of [
      `/user_avatars/${elsewhere.realm}/${name}`,
      `/user_avatars/99999/${name}`,
      `/user_avatars/99999999999999999999/${name}`,
      `/user_avatars/0/${name}`,
      `/user_avatars/${realm}/${'0'.repeat(40)}.png`,
      `/user_avatars/${realm}/${name}.png`,
      `/user_avatars/${realm}/${name!.replace('.png', '/1.png')}`,
      `/user_avatars/${realm}/${name!.replace('.png', '%2f1.png')}`,
      `/user_avatars/${realm}/..%2f..%2fsecret`,
      `/user_avatars/${realm}/%2e%2e/secret`,
      `/user_avatars/${realm}/x%00.png`,
      `/user_avatars/${realm}/realm/icon/1.png`,
      `/user_avatars/${realm}/realm/nothing.png`,
      `/user_avatars/${realm}/emoji/images/../../x`,
    ]) {
      t.equal((await look(wrong)).status, 404, wrong);
    }
  });

  const avatarOf = (by: Person | typeof org.nobody, rest: string, prefix = '', headers = {}) =>
    ('api' in by ? by.api : by).raw({ method: 'GET', path: `${prefix}/avatar/${rest}`, headers });

  await t.test(
    'GET /avatar redirects to the picture: by id or address, in both sizes, keeping the query',
    async (t) => {
      const url = urlOf(await put(member));
      const medium = url.replace('.png', '-medium.png');
      for (const by of org.people) {
        await by.api.call('GET /avatar/{user_id}', { user_id: member.id });
        t.same(leadsTo(await avatarOf(by, `${member.id}`)), [302, url], by.role);
        t.same(leadsTo(await avatarOf(by, `${member.id}`, '/api/v1')), [302, url]);
        t.same(leadsTo(await avatarOf(by, `${member.id}/medium`)), [302, medium]);
        t.same(leadsTo(await avatarOf(by, member.email.toUpperCase())), [302, url]);
        t.same(leadsTo(await avatarOf(by, `${encodeURIComponent(member.email)}/medium`)), [302, medium]);
      }
      t.same(leadsTo(await avatarOf(other, `${member.id}?x=%C3%A4&y`)), [302, `${url}&x=%C3%A4&y`]);
      t.same(leadsTo(await avatarOf(other, `${member.id}?api_key=${other.key}&z=1&API%5fKEY=1`)), [302, `${url}&z=1`]);
      const { avatar_version } = await me(guest);
      t.same(leadsTo(await avatarOf(other, `${guest.id}`))[1], (await me(guest)).avatar_url, `${avatar_version}`);
      for (const nobody of ['1234567', 'nobody@example.com', 'just text', 'ä', '%00', '__proto__']) {
        const text = decodeURIComponent(nobody);
        t.same(leadsTo(await avatarOf(other, encodeURIComponent(text))), [302, gravatar(text, 1)], nobody);
        t.same(leadsTo(await avatarOf(other, `${encodeURIComponent(text)}/medium`)), [
          302,
          gravatar(text, 1, '&s=500'),
        ]);
      }
      const foreign = leadsTo(await avatarOf(elsewhere.owner, `${other.id}`));
      t.same(foreign, [302, gravatar(`${other.id}`, 1)], 'of another organization: nobody');
      t.same(leadsTo(await avatarOf(other, '1'))[0], 302, 'a system bot');
    },
  );

  await t.test('GET /avatar does not reveal the account of a hidden address', async (t) => {
    await put(guest);
    await guest.api.ok('PATCH /settings', { email_address_visibility: 4 });
    t.same(leadsTo(await avatarOf(other, guest.email)), [302, gravatar(guest.email, 1)]);
    const { email, avatar_url } = await me(guest);
    t.same(leadsTo(await avatarOf(other, String(email))), [302, avatar_url]);
    await guest.api.ok('PATCH /settings', { email_address_visibility: 1 });
  });

  await t.test('GET /avatar without an account is refused where the organization has no public access', async (t) => {
    const host = `${org.subdomain}.localhost`;
    for (const rest of [`${member.id}`, `${member.id}/medium`, member.email, `${member.email}/medium`]) {
      await refused(t, avatarOf(org.nobody, rest, '', { host }), NOT_LOGGED_IN, rest);
    }
    await refused(t, org.nobody.call('GET /avatar/{user_id}', { user_id: member.id }), NOT_LOGGED_IN);
    await refused(t, avatarOf(org.nobody, `${member.id}`, '', { authorization: 'Basic bm9uc2Vuc2U=' }), {
      status: 401,
      code: 'UNAUTHORIZED',
      msg: 'Invalid authorization header for basic auth',
    });
  });
};
