/** `stream_weekly_traffic` (streams.md § Stream objects), with a clock that the test moves (embedded face only). */
import type { Test } from 'tap';
import { FakeClock } from '../../../support/fake-clock.js';
import { until } from '../../../support/until.js';
import { startEmbedded } from '../../support/faces.js';
import { makeOrganization, type Person, say, subscribe } from '../../support/organization.js';
import type { ApiStream } from '../../support/types.js';

const DAY_MS = 86_400_000;
const RETRY_STEP_MS = 10_000;

export async function streamTraffic(t: Test): Promise<void> {
  const clock = new FakeClock(Date.now());
  const server = await startEmbedded({ clock });
  t.teardown(() => server.close());
  const { owner, member, other } = await makeOrganization(server, ['member', 'other']);
  await subscribe(owner, ['busy', 'quiet'], { principals: [owner, member] });
  const pass = async (days: number): Promise<void> => {
    for (let i = 0; i < days; i++) await clock.longAsync(DAY_MS);
  };
  const traffic = async (by: Person, name: string): Promise<unknown> => {
    const state = await by.api.ok<Record<string, ApiStream[]>>('POST /register', {
      fetch_event_types: ['subscription'],
    });
    const all = [...state.subscriptions!, ...state.unsubscribed!, ...state.never_subscribed!];
    return all.find((stream) => stream.name === name)!.stream_weekly_traffic;
  };
  const becomes = async (name: string, expected: number): Promise<void> => {
    const isSo = async (): Promise<boolean> => {
      if ((await traffic(member, name)) === expected) return true;
      // A command that was too late for its deadline on a busy machine is tried again a little later.
      await clock.longAsync(RETRY_STEP_MS);
      return false;
    };
    await until(`traffic of ${name} is ${expected}`, isSo, 5_000);
    const { subscriptions } = await member.api.ok<{ subscriptions: ApiStream[] }>('GET /users/me/subscriptions');
    t.equal(subscriptions.find((stream) => stream.name === name)!.stream_weekly_traffic, expected, 'GET');
    t.equal(await traffic(other, name), expected, 'who is not subscribed sees it, too');
  };

  await t.test('the weekly traffic of a stream is given from its seventh day on', async (t) => {
    // The notice of the new stream is a message, too.
    for (let i = 0; i < 19; i++) await say(member, 'busy', 'much');
    await pass(6);
    t.equal(await traffic(member, 'busy'), null);
    await pass(2);
    await becomes('busy', 17);
    await becomes('quiet', 1);
  });

  await t.test('the traffic counts the last 28 days, and survives a restart', async () => {
    await pass(12);
    await becomes('busy', 7);
    await server.restart();
    await becomes('busy', 7);
    await say(member, 'busy', 'once more');
    await pass(10);
    await becomes('busy', 1);
    await becomes('quiet', 0);
  });
}
