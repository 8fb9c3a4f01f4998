/** Invitations expire, with a clock that the test moves (embedded face only). */
import type { Test } from 'tap';
import { FakeClock } from '../../../support/fake-clock.js';
import { refused } from '../../harness.js';
import { bad, type Params } from '../../support/client.js';
import { startEmbedded } from '../../support/faces.js';
import { makeOrganization } from '../../support/organization.js';
import type { Fields } from '../../support/types.js';

const MINUTE_MS = 60_000;

export async function invitationTime(t: Test): Promise<void> {
  const clock = new FakeClock(Date.now());
  const server = await startEmbedded({ clock });
  t.teardown(() => server.close());
  const { owner, member, nobody } = await makeOrganization(server, ['member']);
  const pass = (minutes: number): Promise<void> => clock.advanceAsync(minutes * MINUTE_MS);
  const link = async (params: Params): Promise<string> => {
    const { invite_link } = await owner.api.ok<{ invite_link: string }>('POST /invites/multiuse', params);
    return new URL(invite_link).pathname;
  };
  const open = async (path: string): Promise<number> => (await nobody.raw({ method: 'GET', path })).status;
  const list = async () => (await owner.api.ok('GET /invites')).invites as (Fields & { readonly id: number })[];

  await t.test('an expired invitation opens no page and is not listed', async (t) => {
    const path = await link({ invite_expires_in_minutes: 10 });
    const [forEver, usual] = [await link({ invite_expires_in_minutes: null }), await link({})];
    const stream_ids: number[] = [];
    await owner.api.ok('POST /invites', { invitee_emails: 'a@b.cd', stream_ids, invite_expires_in_minutes: 10 });
    const { id } = (await list()).find(({ email }) => email === 'a@b.cd')!;
    await pass(9);
    t.equal(await open(path), 200);
    t.equal((await list()).length, 4);
    await pass(2);
    t.equal(await open(path), 404);
    const body = 'full_name=Late+Comer&password=brisk-otter-lantern-52&email=late%40example.com';
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    t.equal((await nobody.raw({ method: 'POST', path, headers, body })).status, 404);
    t.equal((await list()).length, 2);
    await refused(t, owner.api.call('POST /invites/{prereg_id}/resend', { prereg_id: id }), bad('No such invitation'));
    await refused(t, owner.api.call('DELETE /invites/{prereg_id}', { prereg_id: id }), bad('No such invitation'));
    for (let day = 0; day < 10; day++) await pass(24 * 60);
    t.same([await open(usual), await open(forEver)], [404, 200], 'ten days unless it says otherwise');
    // The expired invitations are removed now.
    await link({});
    t.equal((await list()).length, 2);
  });

  await t.test('an invitation sent again is valid for its whole first duration again', async (t) => {
    await owner.api.ok('POST /invites', { invitee_emails: 'e@f.gh', stream_ids: [], invite_expires_in_minutes: 10 });
    const of = async () => (await list()).find(({ email }) => email === 'e@f.gh');
    await pass(6);
    await owner.api.ok('POST /invites/{prereg_id}/resend', { prereg_id: (await of())!.id });
    await pass(6);
    t.ok(await of());
    await pass(6);
    t.notOk(await of());
  });

  await t.test('in an open organization, accounts may invite from their third day on', async (t) => {
    const invite = () => member.api.call('POST /invites', { invitee_emails: 'i@j.kl', stream_ids: [] });
    await owner.api.ok('PATCH /realm', { invite_required: false });
    t.equal((await invite()).status, 200, 'it is old enough');
  });
}
