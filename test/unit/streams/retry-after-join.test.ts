/** A send that its stream would refuse is passed to the sender's actor first, and remembers that. */
import t from 'tap';
import { sendOrRedirectStreamMessageHandler } from '../../../actors/stream/commands/send.js';

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
