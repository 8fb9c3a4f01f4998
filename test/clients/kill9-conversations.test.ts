/**
 * Embedded face: changes of messages after they were sent survive `kill -9`. `SEED=7 node …` repeats the moments of the
 * kills, as far as timing allows.
 */
import t from 'tap';
import { testChanges } from './support/crash-changes.js';
import { testTopicMoves } from './support/crash-moves.js';
import { testScheduledMessages } from './support/crash-scheduled.js';
import { seed } from './support/crash-test.js';
import { Embedded } from './support/face.js';

const face = await Embedded.start();
t.teardown(() => face.stop());

t.comment(`SEED=${seed}`);
t.test('scheduled messages are sent exactly once after kill -9', (test) => testScheduledMessages(test, face));
t.test('a large topic is moved completely or not at all after kill -9', (test) => testTopicMoves(test, face));
t.test('flags, marks, reactions, edits, drafts, saved snippets and followed topics survive kill -9', (test) =>
  testChanges(test, face),
);
