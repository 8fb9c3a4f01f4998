/** Own API keys and devices (users.md § API keys, § Small operations). */

import { ServerCryptography } from '#domain/secrets';
import { toUserId, userActorKey } from '#model';
import { refused } from '../../harness.js';
import { bad, basic, missing, type Params, unauthorized } from '../../support/client.js';
import { makeOrganization, type Person, tell } from '../../support/organization.js';
import { Queue } from '../../support/queue.js';
import type { Facts } from '../facts.js';

const DEVICES = ['/users/me/apns_device_token', '/users/me/android_gcm_reg_id'];

export const ownKeys: Facts = async (t, server) => {
  await t.test('a new key works at once and the old one no more, for every role and on every frontend', async (t) => {
    const { people, nobody, subdomain, guest } = await makeOrganization(server);
    for (const { api, email, key, role } of people) {
      const { api_key } = await api.ok<{ api_key: string }>('POST /users/me/api_key/regenerate');
      t.match(api_key, /^[A-Za-z0-9]{32}$/, role);
      t.not(api_key, key, role);
      const renewed = api.with({ authorization: basic(email, api_key) });
      for (let frontend = 0; frontend < 2; frontend++) {
        t.equal((await renewed.call('GET /users/me')).status, 200, role);
      }
      await refused(t, api.call('GET /users/me'), unauthorized('Invalid API key'), role);
      await refused(t, api.call('POST /users/me/api_key/regenerate'), unauthorized('Invalid API key'), role);
      const again = await nobody
        .with({ host: `${subdomain}.localhost` })
        .ok('POST /fetch_api_key', { username: email, password: 'sadly-walrus-tempo-81' });
      t.equal(again.api_key, api_key, `${role}: it is the key that a login gives`);
    }
    await server.restart();
    await refused(t, guest.api.call('GET /users/me'), unauthorized('Invalid API key'), 'after a restart, too');
  });

  await t.test('a key sealed under another server secret is replaced when its owner logs in', async (t) => {
    const { member, nobody, realm, subdomain } = await makeOrganization(server, ['member']);
    const keySealed = new ServerCryptography('the secret of another server').seal(member.key);
    await server.actors.sendForReply(userActorKey(realm, toUserId(member.id)), 'set-key', { keySealed });
    const account = { username: member.email, password: 'sadly-walrus-tempo-81' };
    const at = nobody.with({ host: `${subdomain}.localhost` });
    t.equal((await at.call('POST /fetch_api_key', { ...account, password: 'wrong' })).status, 401);
    t.equal((await member.api.call('GET /users/me')).status, 200, 'who has no right to it does not replace it');
    const logins = await Promise.all([1, 2, 3].map(() => at.ok<{ api_key: string }>('POST /fetch_api_key', account)));
    const keys = new Set(logins.map(({ api_key }) => api_key));
    t.equal(keys.size, 1, 'who logs in at the same time gets the same');
    const [key = ''] = keys;
    t.not(key, member.key);
    for (let frontend = 0; frontend < 2; frontend++) {
      t.equal((await member.api.with({ authorization: basic(member.email, key) }).call('GET /users/me')).status, 200);
    }
    await refused(t, member.api.call('GET /users/me'), unauthorized('Invalid API key'));
  });

  await t.test(
    'a poll that waits with a revoked key ends at once, and its queue continues with the new key',
    async (t) => {
      const { owner, member, other } = await makeOrganization(server, ['member', 'other']);
      /** One poll on each frontend; the requests after them prove their arrival. */
      const polls = async (person: Person) => {
        const queues = [await Queue.register(person, {}), await Queue.register(person, {})];
        const answers = queues.map((queue) => {
          const { id: queue_id, last: last_event_id } = queue;
          return person.api.call('GET /events', { queue_id, last_event_id });
        });
        for (let frontend = 0; frontend < 2; frontend++) await person.api.ok('GET /users/me');
        return { queues, answers };
      };
      const revoked = await polls(member);
      const kept = await polls(other);
      const { api_key } = await member.api.ok<{ api_key: string }>('POST /users/me/api_key/regenerate');
      for (const answer of revoked.answers) await refused(t, answer, unauthorized('Invalid API key'));
      const renewed = member.api.with({ authorization: basic(member.email, api_key) });
      const { id: queue_id, last: last_event_id } = revoked.queues[0]!;
      const going = renewed.call('GET /events', { queue_id, last_event_id });
      await tell(owner, [{ ...member, api: renewed }, other]);
      for (const answer of [going, ...kept.answers]) {
        const { status, body } = await answer;
        t.equal(status, 200);
        t.match(body.events, [{ type: 'message' }]);
      }
      const gone = await polls(other);
      await owner.api.ok('DELETE /users/{user_id}', { user_id: other.id });
      for (const answer of gone.answers) await refused(t, answer, unauthorized('Account is deactivated'));
    },
  );

  await t.test('devices are registered, registered again, and removed once', async (t) => {
    const { member, other } = await makeOrganization(server, ['member', 'other']);
    for (const path of DEVICES) {
      const token = 'c3VnYXI=';
      const add = (params: Params = { token }) => member.api.call(`POST ${path}`, params);
      const remove = (params: Params = { token }, by = member) => by.api.call(`DELETE ${path}`, params);
      await refused(t, remove(), bad('Token does not exist'));
      for (let i = 0; i < 2; i++) t.same((await add()).body, { result: 'success', msg: '' });
      await refused(t, remove({ token }, other), bad('Token does not exist'), "another's");
      await refused(t, remove({ token: 'c3VnYXJ5' }), bad('Token does not exist'));
      t.same((await remove()).body, { result: 'success', msg: '' });
      await refused(t, remove(), bad('Token does not exist'));
      for (const call of [add, remove]) {
        await refused(t, call({}), missing('token'));
        for (const wrong of ['', 'x'.repeat(4_097)]) {
          await refused(t, call({ token: wrong }), bad('Empty or invalid length token'));
        }
      }
    }
    t.equal((await member.api.call(`POST ${DEVICES[0]}`, { token: 'c3VnYXI=', appid: 'org.example.app' })).status, 200);
    for (const wrong of ['a', 'abc', 'ab=c', 'not base64!', 'c3VnYXI=\n']) {
      await refused(t, member.api.call(`POST ${DEVICES[0]}`, { token: wrong }), bad('Invalid APNS token'), wrong);
      await refused(t, member.api.call(`DELETE ${DEVICES[0]}`, { token: wrong }), bad('Invalid APNS token'), wrong);
    }
    t.equal((await member.api.call(`POST ${DEVICES[1]}`, { token: 'not base64!' })).status, 200);
  });

  await t.test("a new key removes the user's devices", async (t) => {
    const { member } = await makeOrganization(server, ['member']);
    await member.api.ok(`POST ${DEVICES[1]}`, { token: 'device' });
    const { api_key } = await member.api.ok<{ api_key: string }>('POST /users/me/api_key/regenerate');
    const renewed = member.api.with({ authorization: basic(member.email, api_key) });
    await refused(t, renewed.call(`DELETE ${DEVICES[1]}`, { token: 'device' }), bad('Token does not exist'));
  });
};
