/** Series of tests with the terminal client, while another user acts by the API. */
import type { Test } from 'tap';
import { readZuliprc } from '../../support/credentials.js';
import { Api } from './api.js';
import { Follower } from './chatter.js';
import { TerminalClient } from './terminal-client.js';
import { TERMINAL_STEPS, type TerminalSession } from './terminal-steps.js';

export interface TerminalSetup {
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

export async function testTerminalClient(
  test: Test,
  { other, python, zuliprc, restart }: TerminalSetup,
): Promise<void> {
  const account = readZuliprc(zuliprc);
  const owner = new Api(account.site, account);
  for (const api of [owner, other]) await api.subscribe('garden', 'kitchen');
  const sendAsOther: TerminalSession['sendAsOther'] = async (topic, content) =>
    (await other.ok('POST', '/messages', { type: 'stream', to: 'garden', topic, content })).id as number;
  await sendAsOther('roses', 'the **roses** bloom');
  await sendAsOther('roses', 'all of them');
  await other.ok('POST', '/users/me/presence', { status: 'active' });
  const follower = await Follower.start([other], FOLLOWED);
  test.teardown(() => follower.stop());
  const client = await TerminalClient.start(python, zuliprc);
  test.teardown(() => client.stop());
  const session: TerminalSession = { client, terminal: client.terminal, owner, other, follower, sendAsOther, restart };
  for (const [fact, step] of Object.entries(TERMINAL_STEPS)) {
    await test.test(fact, (part) => step(part, session));
    // Each step continues from the state left by the previous one.
    if (!test.passing()) break;
  }
}
