/** Refusals of POST and GET /users/me/subscriptions: streams.md, in the order of its checks. */

import { refused } from '../../harness.js';
import { bad, missing, type Params, type Refusal } from '../../support/client.js';
import { makeOrganization, userGroup } from '../../support/organization.js';
import type { ApiStream } from '../../support/types.js';
import type { Facts } from '../facts.js';

const notOnBehalf = (principal: string | number): Refusal => ({
  status: 403,
  code: 'UNAUTHORIZED_PRINCIPAL',
  msg: `User not authorized to execute queries on behalf of '${principal}'`,
  extra: { principal },
});

export const subscribingRefusals: Facts = async (t, server) => {
  const org = await makeOrganization(server);
  const elsewhere = await makeOrganization(server, []);
  const { owner, admin, member } = org;
  const call = (subscriptions: unknown, params: Params = {}, by = member) =>
    by.api.call('POST /users/me/subscriptions', { subscriptions, ...params });
  const mine = async () =>
    (await member.api.ok<{ subscriptions: ApiStream[] }>('GET /users/me/subscriptions')).subscriptions;

  await t.test('the list of streams is checked', async (t) => {
    await refused(t, member.api.call('POST /users/me/subscriptions', {}), missing('subscriptions'));
    await refused(t, call('x'), bad('Argument "subscriptions" is not valid JSON.'));
    await refused(t, call({}), bad('subscriptions is not a list'));
    await refused(t, call(['x']), bad('subscriptions[0] is not a dict'));
    await refused(t, call([{}]), bad('name key is missing from subscriptions[0]'));
    await refused(t, call([{ name: 5 }]), bad('subscriptions[0]["name"] is not a string'));
    await refused(
      t,
      call([{ name: 'a' }, { name: 'b', color: 'red' }]),
      bad('subscriptions[1]["color"] is not a valid hex color code'),
    );
    await refused(
      t,
      call([{ name: 'a', description: 'x'.repeat(1025) }]),
      bad('subscriptions[0]["description"] is too long (limit: 1024 characters)'),
    );
    await refused(t, call([{ name: 'a', shape: 'round', size: 1 }]), bad('Unexpected arguments: shape, size'));
    await refused(t, call([{ name: '  ' }]), bad("Stream name can't be empty!"));
    await refused(t, call([{ name: 'é'.repeat(61) }]), bad('Stream name too long (limit: 60 characters).'));
    t.equal((await call([{ name: 'é'.repeat(60) }])).status, 200);
    await refused(t, call([{ name: 'a\u{0}b' }]), bad('Invalid character in stream name, at position 2!'));
    await refused(
      t,
      call([{ name: '😀\u{1fffe}' }]),
      bad('Invalid character in stream name, at position 2!'),
      'a noncharacter',
    );
  });

  await t.test('no new stream looks like another, or like nothing', async (t) => {
    const taken = (name: string) => bad(`Stream name '${name}' is already taken.`);
    const rename = (stream_id: number, new_name: string) =>
      owner.api.call('PATCH /streams/{stream_id}', { stream_id, new_name });
    t.equal((await call([{ name: 'Harbour' }])).status, 200);
    await refused(t, call([{ name: 'har\u200bbour' }]), taken('har\u200bbour'));
    await refused(t, call([{ name: 'pier' }, { name: 'pier\u3164' }]), taken('pier\u3164'));
    await refused(t, call([{ name: '\u3164\u200b' }]), bad("Stream name can't be empty!"));
    t.equal((await call([{ name: 'dock' }])).status, 200);
    const { id } = (await mine()).map(({ stream_id: id, name }) => ({ id, name })).find(({ name }) => name === 'dock')!;
    await refused(t, rename(id, 'HAR\u2060BOUR'), taken('HAR\u2060BOUR'));
    await refused(t, rename(id, '\u2800'), bad("Stream name can't be empty!"));
    t.equal((await rename(id, 'do\u200cck')).status, 200, 'the own name may get one');
    await refused(t, call([{ name: 'dock' }]), taken('dock'));
    t.equal((await rename(id, 'elsewhere')).status, 200);
    t.equal((await call([{ name: 'dock' }])).status, 200, 'the former name is free');
  });

  await t.test('attributes of streams are checked', async (t) => {
    const one = [{ name: 'never made' }];
    await refused(t, call(one, { stream_post_policy: 5 }), bad('Invalid stream_post_policy'));
    await refused(t, call(one, { stream_post_policy: '"1"' }), bad('stream_post_policy is not an integer'));
    await refused(t, call(one, { can_remove_subscribers_group_id: 987_654 }), bad('Invalid user group'));
    const system = bad("'can_remove_subscribers_group' must be a system user group.");
    const can_remove_subscribers_group_id = await userGroup(owner, 'the removers');
    await refused(t, call(one, { can_remove_subscribers_group_id }), system);
    for (const [id, name] of [
      [1, 'owners'],
      [7, 'internet'],
      [8, 'nobody'],
    ] as const) {
      const msg = `'can_remove_subscribers_group' setting cannot be set to '@role:${name}' group.`;
      await refused(t, call(one, { can_remove_subscribers_group_id: id }), bad(msg));
    }
    for (const value of [0, -1, '"forever"', '"7"']) {
      const bad_value = typeof value === 'string' ? JSON.parse(value) : value;
      await refused(t, call(one, { message_retention_days: value }, owner), {
        code: 'REQUEST_VARIABLE_INVALID',
        msg: `Bad value for 'message_retention_days': ${bad_value}`,
        extra: { var_name: 'message_retention_days', bad_value },
      });
    }
    for (const by of [admin, member]) {
      await refused(t, call(one, { message_retention_days: 5 }, by), {
        code: 'UNAUTHORIZED_PRINCIPAL',
        msg: 'Must be an organization owner',
      });
    }
    await refused(t, call(one, { is_web_public: true }, owner), bad('Web-public streams are not enabled.'));
    await refused(t, call(one, { principals: 'x' }), bad('Argument "principals" is not valid JSON.'));
    await refused(t, call(one, { principals: [1.5] }), bad('principals is not an allowed_type'));
    t.notOk((await mine()).some((of) => of.name === 'never made'));
  });

  await t.test('principals must be active accounts of the organization', async (t) => {
    const one = [{ name: 'for others' }];
    await refused(t, call(one, { principals: [987_654] }), notOnBehalf(987_654));
    await refused(t, call(one, { principals: [member.id, 987_654] }), notOnBehalf(987_654));
    await refused(t, call(one, { principals: ['x@y.example'] }), notOnBehalf('x@y.example'));
    await refused(t, call(one, { principals: [elsewhere.owner.email] }), notOnBehalf(elsewhere.owner.email));
  });

  await t.test('GET: include_subscribers is a boolean', async (t) => {
    await refused(
      t,
      member.api.call('GET /users/me/subscriptions', { include_subscribers: 'partial' }),
      bad('Argument "include_subscribers" is not valid JSON.'),
    );
    await refused(
      t,
      member.api.call('GET /users/me/subscriptions', { include_subscribers: 1 }),
      bad('include_subscribers is not a boolean'),
    );
  });
};
