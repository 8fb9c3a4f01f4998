/** Steps of a user at the terminal client. Each step continues from the state left by the previous one. */
import type { Test } from 'tap';
import { type Api, myId } from './api.js';
import type { Follower } from './chatter.js';
import type { TerminalClient } from './terminal-client.js';
import type { Terminal } from './tmux.js';
import { until } from './wait.js';

export interface TerminalSession {
  readonly client: TerminalClient;
  readonly terminal: Terminal;
  /** API client of the user at the terminal. */
  readonly owner: Api;
  readonly other: Api;
  /** Receives the events of the other user's own queue. */
  readonly follower: Follower;
  /**
   * Sends a message as the other user to the stream "garden".
   * @returns message id
   */
  sendAsOther(topic: string, content: string): Promise<number>;
  restart(): Promise<void>;
}

type Fields = Readonly<Record<string, unknown>>;

/** Waits for an event of the other user that has these field values, in itself or in its message. */
const waitForEvent = (follower: Follower, type: string, what: Fields): Promise<number> =>
  until(`${type} ${JSON.stringify(what)}`, () =>
    follower.events.some((event) => {
      const fields = (event.message ?? event) as Fields;
      return event.type === type && Object.entries(what).every(([name, value]) => fields[name] === value);
    }),
  );

/** Waits until the server reports this number of unread messages for the user at the terminal. */
const waitForUnreadCount = (owner: Api, unread: number): Promise<number> =>
  until(`${unread} unread on the server`, async () => {
    const types = { event_types: ['typing'], fetch_event_types: ['message', 'update_message_flags'] };
    const { unread_msgs, queue_id } = await owner.ok('POST', '/register', types);
    await owner.ok('DELETE', '/events', { queue_id });
    return (unread_msgs as { count: number }).count === unread;
  });

const newest = async (owner: Api): Promise<number> => (await owner.messages([], 1))[0]!.id;

export const TERMINAL_STEPS: Readonly<Record<string, (test: Test, session: TerminalSession) => Promise<void>>> = {
  'the client starts with the existing streams, messages and users': async (test, { terminal }) => {
    await terminal.shows(/Owner \(owner@\S+\) - \S+ \(http/);
    for (const text of ['# garden', '# kitchen', 'garden ▶  roses', '● Other', 'the roses bloom']) {
      test.ok(await terminal.shows(text), text);
    }
    test.ok(await terminal.shows(/│ ● Owner +\(you\)$(?:\n.*){0,3}│ ● Other$/m), 'the user list shows both users');
  },

  'the client counts unread messages, and reading marks them as read': async (
    _,
    { client, terminal, owner, sendAsOther },
  ) => {
    await client.count('All messages', 2);
    await client.count('# garden', 2);
    await waitForUnreadCount(owner, 2);
    await sendAsOther('roses', 'and they bloom on');
    await client.count('All messages', 3);
    await waitForUnreadCount(owner, 3);
    // Move from the streams to the messages. Moving marks the selected message and unread messages above it as read.
    await terminal.keys('Right', 'Down');
    await client.count('All messages', 1);
    await waitForUnreadCount(owner, 1);
    await terminal.keys('Down');
    await client.count('All messages', 0);
    await waitForUnreadCount(owner, 0);
  },

  'messages of other users are shown at once, in a stream and direct': async (
    test,
    { client, terminal, owner, other, sendAsOther },
  ) => {
    await sendAsOther('tulips', '`tulips` and\n* one\n* two');
    test.match(await terminal.shows(/▒ {3}• one\s+│.*\n.*▒ {3}• two/), /two/);
    await other.ok('POST', '/messages', { type: 'direct', to: [owner.account.email], content: 'psst' });
    test.ok(await terminal.shows('You and Other'));
    test.ok(await terminal.shows('▒ psst'));
    await client.count('Private messages', 1);
  },

  'messages written in the client reach other users': async (test, { client, terminal, follower }) => {
    await client.writeToStream('garden', 'weeds', 'there are *weeds*');
    await waitForEvent(follower, 'message', { content: 'there are *weeds*', type: 'stream', subject: 'weeds' });
    test.ok(await terminal.shows('garden ▶  weeds'));
    await client.leaveForm();
    await client.writeToPerson('Other', 'other@example.com', 'not so loud');
    await waitForEvent(follower, 'message', { content: 'not so loud', type: 'private' });
    await waitForEvent(follower, 'typing', { op: 'start', message_type: 'private' });
    await client.leaveForm();
    test.ok(await terminal.shows('▒ not so loud'));
  },

  'a narrow shows new messages of its topic only': async (test, { terminal, sendAsOther }) => {
    await sendAsOther('lilies', 'lilies are white');
    await terminal.shows('▒ lilies are white');
    await terminal.keys('End', 'S');
    await terminal.shows('garden: topic narrow');
    await terminal.hides('▒ psst');
    await sendAsOther('roses', 'said elsewhere');
    await sendAsOther('lilies', 'as snow');
    test.match(await terminal.shows(/lilies are white(?:.*\n){1,3}.*as snow/), /snow/);
    await terminal.hides('said elsewhere');
    await terminal.keys('z');
    test.ok(await terminal.shows('▒ said elsewhere'), 'the stream view shows messages from elsewhere');
    await terminal.hides('▒ psst');
    // Moving beyond the last message makes the client load newer messages.
    await terminal.keys('a', 'End', 'Down');
    await terminal.shows('▒ as snow');
  },

  'own and other reactions are shown': async (test, { terminal, owner, other, follower }) => {
    await terminal.keys('End', '+');
    test.ok(await terminal.shows(':thumbs_up: You'));
    const reaction = { op: 'add', emoji_name: 'thumbs_up', message_id: await newest(owner) };
    await waitForEvent(follower, 'reaction', { ...reaction, user_id: await myId(owner) });
    const path = `/messages/${reaction.message_id}/reactions`;
    await other.ok('POST', path, { emoji_name: 'tada' });
    test.ok(await terminal.shows(':tada: Other'));
    await terminal.keys('+');
    await waitForEvent(follower, 'reaction', { ...reaction, op: 'remove' });
    await terminal.hides(':thumbs_up:');
    await other.ok('DELETE', path, { emoji_name: 'tada' });
    await terminal.hides(':tada:');
  },

  'a star is counted, stored and removed': async (test, { client, terminal, owner }) => {
    await terminal.keys('*');
    await client.count('Starred messages', 1);
    const starred = [{ operator: 'is', operand: 'starred' }];
    test.strictSame(
      (await owner.messages(starred)).map(({ id }) => id),
      [await newest(owner)],
    );
    await terminal.keys('f');
    await terminal.hides('▒ psst');
    test.ok(await terminal.shows('▒ as snow'));
    await terminal.keys('a', '*');
    await client.count('Starred messages', 0);
    await until('the server has removed the star', async () => (await owner.messages(starred)).length === 0);
  },

  'own and other edits are shown': async (test, { client, terminal, follower, other, sendAsOther }) => {
    const id = await sendAsOther('roses', 'a tpyo');
    await terminal.shows('▒ a tpyo');
    await other.ok('PATCH', `/messages/${id}`, { content: 'a typo' });
    test.ok(await terminal.shows('EDITED ▒ a typo'));
    await client.writeToStream('garden', 'roses', 'first words');
    await client.leaveForm();
    await terminal.shows('▒ first words');
    await terminal.keys('End', 'e');
    await terminal.shows('│first words ');
    await terminal.type(' and last');
    await terminal.keys('C-d');
    await waitForEvent(follower, 'update_message', { content: 'first words and last' });
    await terminal.shows('▒ first words and last');
    await client.leaveForm();
    await other.ok('PATCH', `/messages/${id}`, { topic: 'spelling', propagate_mode: 'change_one' });
    test.ok(await terminal.shows('garden ▶  spelling'), 'the client shows the message in its new topic');
  },

  'the client lists topics, members and settings of a stream': async (test, { terminal }) => {
    await terminal.keys('q');
    await terminal.type('gard');
    await terminal.hides('# kitchen');
    await terminal.keys('Enter', 't');
    for (const topic of ['spelling', 'lilies', 'weeds', 'tulips', 'roses', 'stream events']) {
      test.ok(await terminal.shows(new RegExp(`^ {3}${topic} `, 'm')), topic);
    }
    await terminal.keys('t', 'i');
    test.match(await terminal.shows(/Stream Members +(\d+)/), '2');
    test.ok(await terminal.shows('Any user can post'));
    // The stream settings open with this item selected.
    await terminal.keys('Enter');
    await terminal.shows('[✓] Muted');
    test.ok(await terminal.shows(/# garden +M +│/), 'the muted stream is marked with M');
    await terminal.keys('Enter');
    await terminal.shows('[ ] Muted');
    await terminal.hides(/# garden +M +│/);
    await terminal.keys('m');
    test.ok(await terminal.shows(/▌Owner +▐.*\n.*▌Other +▐/));
    await terminal.keys('m', 'Escape');
    await terminal.hides('▐');
    await terminal.keys('Escape');
    test.ok(await terminal.shows('# kitchen'), 'unmuted streams are listed again');
  },

  'the client searches messages': async (test, { client, terminal }) => {
    await client.search('bloom');
    await terminal.hides('as snow');
    test.ok(await terminal.shows('▒ the roses bloom'));
    test.ok(await terminal.shows('▒ and they bloom on'));
    await terminal.keys('a');
    await terminal.shows('as snow');
  },

  'the client shows typing notifications': async (test, { terminal, owner, other }) => {
    await terminal.keys('P', 'End', 'S');
    await terminal.shows('Private conversation');
    await other.ok('POST', '/typing', { op: 'start', to: [await myId(owner)] });
    test.ok(await terminal.shows(/Other +is typing/));
    await other.ok('POST', '/typing', { op: 'stop', to: [await myId(owner)] });
    await terminal.hides('is typing');
    await terminal.keys('a');
  },

  'no request of the client is refused and no exception is logged': async (test, { client }) => {
    const requests = client.requests();
    test.strictSame(
      requests.filter(({ status }) => status !== 200),
      [],
    );
    test.comment(`${requests.length} requests`);
    test.equal(client.exceptions(), '');
  },

  'the client continues with its queue after a restart of the server': async (test, session) => {
    const { client, terminal, sendAsOther, follower, restart } = session;
    await restart();
    await sendAsOther('roses', 'here we are again');
    test.ok(await terminal.shows('▒ here we are again'));
    await client.writeToStream('garden', 'roses', 'so am I');
    await waitForEvent(follower, 'message', { content: 'so am I' });
    await client.leaveForm();
    const registered = client.requests().filter(({ method, path }) => method === 'POST' && path === '/api/v1/register');
    test.equal(registered.length, 1, 'the client registers its queue only once');
    test.equal(client.exceptions(), '');
  },

  'the client deletes its queue on exit': async (test, { client, terminal }) => {
    await terminal.keys('C-c');
    await terminal.ends();
    // Requests of the client's other threads may be logged after this one.
    const deleted = client.requests().findLast(({ method, path }) => method === 'DELETE' && path === '/api/v1/events');
    test.strictSame(deleted, { method: 'DELETE', path: '/api/v1/events', status: 200 });
  },
};
