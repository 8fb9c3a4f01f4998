/** GET /users/{user_id}, GET /users/{email}, GET /get_stream_id, POST /messages/render. */

import { refused } from '../../harness.js';
import { bad, missing } from '../../support/client.js';
import { makeOrganization, streamIdOf, subscribe } from '../../support/organization.js';
import type { ApiUser } from '../../support/types.js';
import type { Facts } from '../facts.js';

export const lookingUp: Facts = async (t, server) => {
  const org = await makeOrganization(server);
  const elsewhere = await makeOrganization(server, []);
  const { owner, admin, member, other, guest } = org;

  await t.test('a user is found by id, and by address in any case, with the data of the list of users', async (t) => {
    const shape = { client_gravatar: false, include_custom_profile_fields: true };
    const { members } = await member.api.ok<{ members: ApiUser[] }>('GET /users', shape);
    const listed = members.find((user) => user.user_id === other.id);
    const byId = await member.api.ok('GET /users/{user_id}', { user_id: other.id, ...shape });
    const byEmail = await member.api.ok('GET /users/{email}', { email: other.email.toUpperCase(), ...shape });
    t.same(byId.user, listed);
    t.same(byEmail.user, listed);
  });

  await t.test('an unknown id or address finds no user', async (t) => {
    for (const user_id of [999_999, 0, 2 ** 60]) {
      await refused(t, member.api.call('GET /users/{user_id}', { user_id }), bad('No such user'));
    }
    for (const email of ['nobody@example.com', elsewhere.owner.email, 'x'.repeat(300), '%00']) {
      await refused(t, member.api.call('GET /users/{email}', { email }), bad('No such user'));
    }
  });

  await t.test('a stream is found only by users who may see it', async (t) => {
    await subscribe(member, 'Plaza', { principals: [member] });
    await subscribe(member, 'closet', { principals: [member], invite_only: true });
    const plaza = await streamIdOf(member, 'Plaza');
    const closet = await streamIdOf(member, 'closet');
    const find = (by: typeof owner, stream: string) => by.api.call('GET /get_stream_id', { stream });
    t.equal((await find(other, 'pLAZA')).body.stream_id, plaza);
    t.equal((await find(member, 'closet')).body.stream_id, closet);
    for (const by of [owner, admin, other, guest, elsewhere.owner]) {
      await refused(t, find(by, 'closet'), bad("Invalid stream name 'closet'"), by.role);
    }
    await refused(t, find(guest, 'Plaza'), bad("Invalid stream name 'Plaza'"), 'a guest who is not subscribed');
    await refused(t, find(member, ' no such '), bad("Invalid stream name ' no such '"));
    await refused(t, member.api.call('GET /get_stream_id', {}), missing('stream'));
  });

  await t.test('a text is rendered like a message, and not stored', async (t) => {
    const newest = async () => (await member.api.ok('GET /users/me')).max_message_id;
    const before = await newest();
    const { rendered } = await member.api.ok('POST /messages/render', { content: `**bold** @**${other.name}**` });
    t.equal(
      rendered,
      `<p><strong>bold</strong> <span class="user-mention" data-user-id="${other.id}">@${other.name}</span></p>`,
    );
    t.equal(await newest(), before);
    await refused(t, member.api.call('POST /messages/render', {}), missing('content'));
  });
};
