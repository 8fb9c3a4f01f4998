/** Sessions and one-time links expire, with a clock that the test moves (embedded face only). */
import type { Test } from 'tap';
import { createOneTimeSignInUrl } from '#app/admin';
import { FakeClock } from '../../../support/fake-clock.js';
import { refused } from '../../harness.js';
import { browserOf, NOT_LOGGED_IN, pageOf, sessionsOf, signInOnce } from '../../support/browser.js';
import { startEmbedded } from '../../support/faces.js';
import { makeOrganization } from '../../support/organization.js';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

export async function sessionTime(t: Test): Promise<void> {
  const clock = new FakeClock(Date.now());
  const server = await startEmbedded({ clock });
  t.teardown(() => server.close());
  const org = await makeOrganization(server, ['member']);
  const { member } = org;

  await t.test('a session goes on while it is used, and is over after 30 days without use', async (t) => {
    const [used, idle] = [await browserOf(org, member), await browserOf(org, member)];
    const started = (await sessionsOf(used.api))[0]!.last_used as number;
    for (let round = 0; round < 2; round++) {
      await clock.advanceAsync(15 * DAY_MS);
      t.equal((await used.api.call('GET /users/me')).status, 200);
    }
    await refused(t, idle.api.call('GET /users/me'), NOT_LOGGED_IN);
    const again = await browserOf(org, member);
    const list = await sessionsOf(again.api);
    t.equal(list.length, 2, 'a session that is over is forgotten');
    t.ok((list[0]!.last_used as number) >= started + 15 * 86_400, 'the list shows the last use, to the day');
  });

  await t.test('a one-time link is void after an hour', async (t) => {
    const make = (): Promise<string> =>
      createOneTimeSignInUrl(server.actors, server.secrets, org.realm, member.email, 'http://x.example');
    const [first, second] = [await make(), await make()];
    await clock.advanceAsync(59 * MINUTE_MS);
    t.equal((await signInOnce(pageOf(org), first)).status, 200);
    await clock.advanceAsync(2 * MINUTE_MS);
    t.equal((await signInOnce(pageOf(org), second)).status, 401);
  });
}
