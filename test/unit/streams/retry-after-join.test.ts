/** A send that its stream would refuse is passed to the sender's actor first; other commands wait for the stream. */
import t from 'tap';
import { conversationActorCommands } from '#model/commands';
import { CommandTooEarlyError } from '#runtime';
import { sendOrRedirectStreamMessageHandler } from '../../../actors/stream/commands/send.js';
import { makeMessageOwnerRedirectHandler } from '../../../actors/user/commands/messages/on-message.js';
import { retrySendAfterSubscribingHandler } from '../../../actors/user/commands/messages/retry-after-join.js';

const stream = { id: 5, name: 'closed', archived: false, inviteOnly: true, webPublic: false, postPolicy: 1 };
const user = { id: 9, isActive: true, role: 400, botOwner: null };
const directory = { stream: () => stream, user: () => user, settings: {} };
const context = { key: 'stream/1/5', realm: 1, caller: 9, now: 0, directory } as never;
const view = { state: { mv: 0, last: 0 }, parts: new Map(), volatile: {} } as never;
const prepared = { id: 7, rendered: null, files: [], topicParticipantIds: [] };
const message = { content: 'x', topic: 'one', origin: '', human: true, queue_id: null, local_id: null, widget: null };

t.test("a first refusal asks the sender's actor, in a commit: a repeat is not carried out", async (t) => {
  const { reply, parts } = sendOrRedirectStreamMessageHandler.handle(view, message, prepared, context);
  t.match(reply, { forward: { to: 'user/1/9', command: 'send-again', args: { stream: 5, message } }, fresh: true });
  t.same(parts, {}, 'nothing changes, but a commit remembers the reply');
});

t.test('a second refusal is final', async (t) => {
  t.throws(
    () => sendOrRedirectStreamMessageHandler.handle(view, { ...message, again: true }, prepared, context),
    /Not authorized to send/,
  );
});

t.test('the retry waits for the stream to know a subscriber, but not one whose account is deactivated', async (t) => {
  const retry = async (isActive: boolean, isMember: boolean): Promise<void> => {
    const view = { parts: new Map([['sub/5', { active: true }]]) };
    await retrySendAfterSubscribingHandler.inputs!(
      { stream: 5, message },
      { realm: 1, caller: 9, view } as never,
      {
        loadDirectory: async () => ({ user: () => ({ ...user, isActive }) }),
        askActor: async () => isMember,
      } as never,
    );
  };
  await t.rejects(retry(true, false), CommandTooEarlyError);
  await t.resolves(retry(true, true));
  await t.resolves(retry(false, false), 'the stream refuses the message at once');
});

t.test('a reaction waits for the stream to know a subscriber, but not one whose account is deactivated', async (t) => {
  const record = {
    id: 3,
    conversation: 's5',
    movedFrom: '',
    participants: [],
    body: { stream: 5, topic: 'one', rev: 1 },
  };
  const { inputs } = makeMessageOwnerRedirectHandler(conversationActorCommands.react);
  const react = async (isActive: boolean, isMember: boolean, isSubscribed = true): Promise<unknown> =>
    inputs!(
      { message_id: 3, emoji_name: 'smile', emoji_code: null, reaction_type: null },
      { realm: 1, caller: 9, view: { parts: new Map([['sub/5', { active: isSubscribed }]]) } } as never,
      {
        loadDirectory: async () => ({
          user: () => ({ ...user, isActive }),
          stream: () => ({ ...stream, historyPublic: true }),
        }),
        store: {
          getMessages: async () => [record],
          getParts: async () => [isMember ? { value: { stays: [{ from: 1, to: 0, after: 9, until: 0 }] } } : undefined],
        },
      } as never,
    );
  await t.rejects(react(true, false), CommandTooEarlyError);
  t.ok(await react(true, true));
  t.ok(await react(false, false), 'the stream refuses the reaction at once');
  t.notOk(await react(true, false, false), 'who is not subscribed does not wait');
});
