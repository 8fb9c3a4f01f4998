/** The contents of a new organization (realm.md § Other, § Settings), made like the command line makes one. */
import type { Test } from 'tap';
import { createRealmWithOwner } from '#app/admin';
import { basic, Client } from '../../support/client.js';
import { linkIn, mailed } from '../../support/mails.js';
import { PASSWORD, subscribe } from '../../support/organization.js';
import type { ApiMessage, ApiStream, Fields } from '../../support/types.js';
import type { Facts } from '../facts.js';

let made = 0;

export const newOrganizations: Facts = async (t, server) => {
  const organization = async (orgType: number): Promise<Client> => {
    const subdomain = `begins${++made}x${process.pid}`;
    const ownerEmail = `owner@${subdomain}.example.com`;
    const { ownerKey } = await createRealmWithOwner(server.actors, server.secrets, {
      subdomain,
      name: 'Beginning',
      ownerEmail,
      ownerName: 'Olga Owner',
      ownerPassword: PASSWORD,
      orgType,
      origin: `http://${subdomain}.localhost`,
    });
    return new Client(server, 'owner', { authorization: basic(ownerEmail, ownerKey) });
  };
  const streamsOf = async (api: Client): Promise<ApiStream[]> =>
    (await api.ok('GET /streams', { include_all_active: true, include_default: true })).streams as ApiStream[];
  const stateOf = (api: Client): Promise<Fields> => api.ok('POST /register');
  const said = async (api: Client, stream: number): Promise<unknown[]> => {
    const narrow = [{ operator: 'stream', operand: stream }];
    const { messages } = await api.ok('GET /messages', {
      anchor: 'newest',
      num_before: 9,
      num_after: 0,
      narrow,
      apply_markdown: false,
    });
    return (messages as ApiMessage[]).map(({ subject, content }) => [subject, content]);
  };

  await t.test(
    'a new organization has two streams, one for all and one for administrators; the owner is in both',
    async (t) => {
      const api = await organization(0);
      const { user_id } = await api.ok<{ user_id: number }>('GET /users/me');
      const streams = await streamsOf(api);
      t.match(streams, [
        { name: 'core team', invite_only: true, history_public_to_subscribers: false, is_default: false },
        { name: 'general', invite_only: false, history_public_to_subscribers: true, is_default: true },
      ]);
      const [core, general] = streams.map(({ stream_id }) => stream_id) as [number, number];
      const state = await stateOf(api);
      t.match(state, { realm_notifications_stream_id: general, realm_signup_notifications_stream_id: core });
      t.same((state.subscriptions as ApiStream[]).map(({ stream_id }) => stream_id).sort(), [core, general].sort());
      t.same(
        (state.realm_default_streams as ApiStream[]).map(({ name }) => name),
        ['general'],
      );
      for (const [stream_id, kind] of [
        [general, 'Public'],
        [core, 'Private, protected history'],
      ] as const) {
        const { subscribers } = await api.ok('GET /streams/{stream_id}/members', { stream_id });
        t.same(subscribers, [user_id]);
        const { description } = streams.find((of) => of.stream_id === stream_id)!;
        const about = `**${kind}** stream created by @_**Olga Owner|${user_id}**. **Description:**\n\`\`\`\` quote\n${description}\n\`\`\`\``;
        t.same(await said(api, stream_id), [['stream events', about]]);
      }
      await subscribe({ api } as never, 'news', { announce: true });
      t.same((await said(api, general)).at(-1), [
        'new streams',
        `@_**Olga Owner|${user_id}** created a new stream #**news**.`,
      ]);
      await newcomer(t, api, user_id, core, general);
    },
  );

  async function newcomer(t: Test, api: Client, owner: number, core: number, general: number): Promise<void> {
    const { invite_link } = await api.ok<{ invite_link: string }>('POST /invites/multiuse');
    const email = `nina${made}x${process.pid}@example.net`;
    const send = async (path: string, fields: Record<string, string>): Promise<void> => {
      const { status } = await api.raw({
        method: 'POST',
        path,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams(fields).toString(),
      });
      t.equal(status, 200);
    };
    await send(new URL(invite_link).pathname, { email });
    await send(linkIn((await mailed(server, email))[0]!), { full_name: 'Nina New', password: PASSWORD });
    const { members } = await api.ok<{ members: Fields[] }>('GET /users');
    const nina = members.find(({ full_name }) => full_name === 'Nina New')!.user_id as number;
    const signup = `@_**Nina New|${nina}** just signed up for Conclave. (total: 2)`;
    t.same((await said(api, core)).at(-1), ['signups', signup]);
    const { subscribers } = await api.ok('GET /streams/{stream_id}/members', { stream_id: general });
    t.same(subscribers, [owner, nina]);
  }

  await t.test('new organizations have default settings; schools have others', async (t) => {
    const plain = {
      realm_invite_to_realm_policy: 1,
      realm_create_public_stream_policy: 1,
      realm_user_group_edit_policy: 1,
      realm_invite_to_stream_policy: 1,
      realm_move_messages_between_streams_policy: 2,
      realm_enable_read_receipts: true,
    };
    const taught = {
      ...plain,
      realm_invite_to_realm_policy: 2,
      realm_create_public_stream_policy: 2,
      realm_user_group_edit_policy: 4,
      realm_invite_to_stream_policy: 4,
      realm_move_messages_between_streams_policy: 4,
    };
    for (const [type, settings] of [
      [0, plain],
      [100, plain],
      [30, taught],
      [35, taught],
    ] as const) {
      t.match(await stateOf(await organization(type)), { ...settings, realm_org_type: type }, `${type}`);
    }
  });
};
