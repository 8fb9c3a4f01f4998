/** Maximum number of moves in a message's record: each move rewrites the record, with all that it lists. */
import t from 'tap';
import {
  type MessageBody,
  placeWhereMessageWasSent,
  type StoredMessage,
  type StoredMessageEdit,
  type StoredMessageStreamMove,
} from '#domain/messages';
import { type MessageMoveDecision, makeBodyChangesOfMove } from '../../../actors/stream/editing/move-batches.js';
import { requireRoomForStreamMove } from '../../../actors/stream/editing/move-history.js';

const ID = 50;
const withBody = (body: Partial<MessageBody>): StoredMessage => ({
  id: ID,
  sender: 7,
  participants: [],
  originStream: 1,
  body: { topic: 't', stream: 1, ...body } as MessageBody,
});

const applyMove = (message: StoredMessage, decision: Partial<MessageMoveDecision>): StoredMessage => ({
  ...message,
  body: {
    ...message.body,
    ...makeBodyChangesOfMove(message, { topic: null, stream: null, move: null, ...decision } as MessageMoveDecision),
  },
});

const renameTopic = (message: StoredMessage, to: string): StoredMessage =>
  applyMove(message, {
    edit: { user: 8, at: 1, topic: { from: message.body.topic, to } } as StoredMessageEdit,
    topic: { name: to, links: [] },
  });

const moveBetweenStreams = (message: StoredMessage, move: StoredMessageStreamMove): StoredMessage =>
  applyMove(message, {
    edit: { user: 8, at: 1, stream: { from: move.from, to: move.to } } as StoredMessageEdit,
    move,
  });

const move = (from: number, fromMv: number, to: number, toMv: number, gained = true): StoredMessageStreamMove => ({
  from,
  fromMv,
  to,
  toMv,
  gained,
});

t.test('the edit history lists 1,000 moves, the newest ones and the one from the original topic', async (t) => {
  let message = withBody({});
  for (let i = 1; i <= 1_200; i++) message = renameTopic(message, `t${i}`);
  const { edits = [] } = message.body;
  t.equal(edits.length, 1_000);
  t.same(edits[0]?.topic, { from: 't1199', to: 't1200' });
  t.same(edits[998]?.topic, { from: 't201', to: 't202' });
  t.same(edits[999]?.topic, { from: 't', to: 't1' });
  t.equal(placeWhereMessageWasSent(message).topic, 't');
});

t.test('earlier texts stay in a history that is full of moves', async (t) => {
  const text = { user: 7, at: 1, content: { raw: 'x', html: 'x' } };
  const edits = Array.from({ length: 2_000 }, (_, i) =>
    i % 20 === 0 ? text : { user: 8, at: 1, topic: { from: `t${i + 1}`, to: `t${i}` } },
  );
  const { edits: left = [] } = renameTopic(withBody({ edits, topic: 't1' }), 'new').body;
  t.equal(left.filter(({ content }) => content).length, 100);
  t.equal(left.filter(({ content }) => !content).length, 1_000, 'also where an older version stored more');
});

t.test(
  'a message with 200 moves between streams is not moved to another stream, and none of its topic is',
  async (t) => {
    let message = withBody({});
    for (let i = 0; i < 199; i++) message = moveBetweenStreams(message, move(1, i, 2, i));
    requireRoomForStreamMove([withBody({}), message]);
    message = moveBetweenStreams(message, move(1, 199, 2, 199));
    t.throws(() => requireRoomForStreamMove([withBody({}), message]), {
      message: 'A message was moved between streams too often to be moved again.',
    });
    t.equal(renameTopic(message, 'other').body.topic, 'other');
  },
);
