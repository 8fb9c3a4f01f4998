/** Mails about missed messages on both faces, with the real clock and the shortest batching period. */
import type { Test } from 'tap';
import type { TestServer } from '../../support/faces.js';
import { mailed } from '../../support/mails.js';
import { makeOrganization, say, streamIdOf, subscribe, tell } from '../../support/organization.js';

export async function missedByMail(t: Test, server: TestServer): Promise<void> {
  const org = await makeOrganization(server, ['member', 'other']);
  const { member, other } = org;
  for (const person of [member, other]) {
    await subscribe(person, 'pier');
    await person.api.ok('PATCH /settings', { email_notifications_batching_period_seconds: 1 });
  }

  await t.test('a direct message and a mention reach absent users by mail', async (t) => {
    await tell(other, [member], 'are you there?');
    await say(member, 'pier', 'boats', `@**${other.name}** a boat`);
    const [direct] = await mailed(server, member.email);
    t.match(direct!.text, /are you there\?/);
    const [mention] = await mailed(server, other.email);
    t.match(mention!.html, /a boat/);
  });

  await t.test('a stream with e-mail notifications is mailed to its absent subscriber', async (t) => {
    const data = [{ stream_id: await streamIdOf(member, 'pier'), property: 'email_notifications', value: true }];
    await member.api.ok('POST /users/me/subscriptions/properties', { subscription_data: data });
    await say(other, 'pier', 'nets', 'torn');
    const [, mail] = await mailed(server, member.email, 2);
    t.match(mail!.text, /torn/);
  });

  await t.test('a followed topic is mailed to its absent follower, also after it was moved', async (t) => {
    const stream_id = await streamIdOf(other, 'pier');
    await other.api.ok('POST /user_topics', { stream_id, topic: 'sails', visibility_policy: 3 });
    const message_id = await say(member, 'pier', 'sails', 'white');
    const [, first] = await mailed(server, other.email, 2);
    t.match(first!.text, /white/);
    const move = { message_id, topic: 'canvas', propagate_mode: 'change_all' };
    await member.api.ok('PATCH /messages/{message_id}', { ...move, send_notification_to_new_thread: false });
    await say(member, 'pier', 'canvas', 'torn apart');
    const [, , second] = await mailed(server, other.email, 3);
    t.match(second!.text, /torn apart/);
  });
}
