/** Series of tests with the terminal client, while another user acts by the API. */
import type { Test } from 'tap';
import { Api, readZuliprc } from './api.js';
import { Follower } from './chatter.js';
import { TerminalClient } from './terminal-client.js';
import { type Day, HOURS } from './terminal-hours.js';

export interface Desk {
  /** Path of a Python with the terminal client installed. */
  readonly python: string;
  /** Zuliprc file of the user at the terminal. */
  readonly zuliprc: string;
  /** API client of the other user; at another frontend, if there are several. */
  readonly other: Api;
  /** Stops the process that holds the client's poll and starts it again. */
  restart(): Promise<void>;
}

const FOLLOWED = ['message', 'reaction', 'update_message', 'typing'];

export async function aDayAtTheTerminal(test: Test, { other, python, zuliprc, restart }: Desk): Promise<void> {
  const account = readZuliprc(zuliprc);
  const owner = new Api(account.site, account);
  for (const api of [owner, other]) await api.subscribe('garden', 'kitchen');
  const tell: Day['tell'] = async (topic, content) =>
    (await other.ok('POST', '/messages', { type: 'stream', to: 'garden', topic, content })).id as number;
  await tell('roses', 'the **roses** bloom');
  await tell('roses', 'all of them');
  await other.ok('POST', '/users/me/presence', { status: 'active' });
  const follower = await Follower.start([other], FOLLOWED);
  test.teardown(() => follower.stop());
  const client = await TerminalClient.start(python, zuliprc);
  test.teardown(() => client.stop());
  const day: Day = { client, terminal: client.terminal, owner, other, follower, tell, restart };
  for (const [fact, hours] of Object.entries(HOURS)) {
    await test.test(fact, (part) => hours(part, day));
    // Each step continues from the state left by the previous one.
    if (!test.passing()) break;
  }
}
