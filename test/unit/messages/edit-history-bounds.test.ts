/** Maximum size of a message's edit history: its record, and each answer that shows the message, has all of it. */
import t from 'tap';
import type { MessageBody, StoredMessage, StoredMessageEdit } from '#domain/messages';
import type { EditMessageArgs } from '#model/commands';
import { checkAndPlanMessageEdit, type MessageEditContext } from '../../../actors/stream/editing/checks.js';
import { directoryWith } from '../../support/directory.js';
import { person } from '../../support/person.js';

const AUTHOR = person(7);
const editor: MessageEditContext = {
  user: AUTHOR,
  settings: directoryWith({ users: [AUTHOR] }).settings,
  nowMs: 1_700_000_000_000,
};

function messageWithEdits(text: string, edits: readonly StoredMessageEdit[]): StoredMessage {
  const body = { content: text, html: text, topic: 'a', sent: 1_700_000_000, stream: 5, edits };
  return { id: 1, sender: AUTHOR.id, participants: [], originStream: 5, body: body as unknown as MessageBody };
}

const textEdits = (count: number, text: string): StoredMessageEdit[] =>
  Array.from({ length: count }, () => ({ user: AUTHOR.id, at: 1_700_000_000, content: { raw: text, html: text } }));

const plan = (message: StoredMessage, change: Partial<EditMessageArgs>) => {
  const args = { content: null, topic: null, stream_id: null, propagate_mode: 'change_one', ...change };
  return checkAndPlanMessageEdit(message, args as EditMessageArgs, editor);
};
const FULL = { code: 'BAD_REQUEST', message: 'The edit history of this message is full.' };

t.test('a message has at most 1,000 earlier texts', async (t) => {
  t.equal(plan(messageWithEdits('x', textEdits(999, 'x')), { content: 'new' }).newContent, 'new');
  t.throws(() => plan(messageWithEdits('x', textEdits(1_000, 'x')), { content: 'new' }), FULL);
});

t.test('earlier texts have at most 2,000,000 characters, the present text included', async (t) => {
  const text = 'x'.repeat(10_000);
  t.equal(plan(messageWithEdits(text, textEdits(99, text)), { content: 'new' }).newContent, 'new');
  t.throws(() => plan(messageWithEdits(`${text}x`, textEdits(99, text)), { content: 'new' }), FULL);
});

t.test('a message with a full history still gets another topic, and moves take no room of texts', async (t) => {
  const full = messageWithEdits('x', textEdits(1_000, 'x'));
  t.equal(plan(full, { topic: 'b' }).newTopic, 'b');
  const moves = Array.from({ length: 1_000 }, () => ({ user: 8, at: 1, topic: { from: 'a', to: 'b' } }));
  t.equal(plan(messageWithEdits('x', moves), { content: 'new' }).newContent, 'new');
});
