/** Snapshot + events = state, for every operation that changes something. */
import {
  makeOrganization,
  PASSWORD,
  type Person,
  say,
  subscribe,
  tell,
  verifyAction,
  verifyRacing,
} from '../harness.js';
import type { Facts } from './facts.js';

export const state: Facts = async (t, server) => {
  const org = await makeOrganization(server);
  const { owner, admin, moderator, member, other, guest } = org;
  const people = org.people;
  const verify = (title: string, action: () => Promise<unknown>, by: readonly Person[] = people) =>
    t.test(title, (t) => verifyAction(t, title, by, action));
  const account = (name: string) => ({
    email: `${name}@${org.subdomain}.example.com`,
    password: PASSWORD,
    full_name: `Somebody ${name}`,
  });

  await verify('a public stream is made', () => subscribe(member, 'public'));
  await verify('several streams are made, for several people', () =>
    subscribe(owner, ['p1', 'p2', 'p3'], { principals: [member, other, guest] }),
  );
  await verify('a private stream is made', () => subscribe(member, 'private', { invite_only: true }));
  await verify('a private stream is made for others', () =>
    subscribe(member, 'private too', {
      invite_only: true,
      history_public_to_subscribers: true,
      principals: [other, guest],
    }),
  );
  await verify('an existing stream is joined', () => subscribe(other, 'public'));
  await verify('others are subscribed to an existing stream', () =>
    subscribe(owner, 'public', { principals: [admin, guest, moderator] }),
  );
  await verify('others are subscribed to an existing private stream', () =>
    subscribe(member, 'private', { principals: [admin, moderator, guest] }),
  );
  await verify('a subscription is repeated', () => subscribe(other, ['public', 'p1']));
  await verify('a stream gets its first message', () => say(member, 'p2', 'topic'));
  await verify('a stream gets another message', () => say(member, 'p2', 'topic'));
  await verify('a private stream gets a message', () => say(member, 'private', 'topic'));
  await verify('a direct message is sent', () => tell(member, [other]));
  await verify('a group gets a message', () => tell(member, [other, guest, owner]));
  await verify('a note to oneself is written', () => tell(other, [other]));
  await verify('an account is made', () => owner.api.ok('POST /users', account('one')));
  await verify('actions are refused', async () => {
    await owner.api.call('POST /users', account('one'));
    await guest.api.call('POST /users/me/subscriptions', { subscriptions: [{ name: 'x' }] });
    await other.api.call('POST /users/me/subscriptions', { subscriptions: [{ name: 'private' }] });
    await guest.api.call('POST /messages', { type: 'stream', to: 'p1', topic: '', content: 'x' });
  });

  await t.test('registrations in the middle of many actions', async (t) => {
    // Their first message is told to members only, so it must not come while people join.
    for (const name of ['public', 'p1', 'p2']) await say(owner, name, 'before');
    const rush = Array.from({ length: 24 }, (_, i) => async (): Promise<unknown> => {
      if (i % 6 === 0)
        return subscribe(member, `rush ${i}`, { invite_only: i % 12 === 0, principals: [member, other, guest] });
      if (i % 6 === 1) return subscribe(owner, 'p1', { principals: [admin, moderator] });
      if (i % 6 === 2) return owner.api.ok('POST /users', account(`rush-${i}`));
      if (i % 6 === 3) return tell(other, [member, guest]);
      return say(member, i % 2 === 0 ? 'p1' : 'p2', `rush ${i}`);
    });
    await verifyRacing(t, 'a rush', [member, guest, admin], rush);
  });
};
