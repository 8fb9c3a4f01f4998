/**
 * Embedded face: what is done with messages after they were sent survives `kill -9`. `SEED=7 node …` chooses the same
 * moments again, as far as a machine can.
 */
import t from 'tap';
import { changesKept } from './support/crash-changes.js';
import { movedWhole } from './support/crash-moves.js';
import { scheduledOnce } from './support/crash-scheduled.js';
import { Embedded } from './support/face.js';
import { seed } from './support/world.js';

const face = await Embedded.start();
t.teardown(() => face.stop());

t.comment(`SEED=${seed}`);
t.test('scheduled messages are sent once, whenever the server is killed', (test) => scheduledOnce(test, face));
t.test('a large topic is moved whole or not at all', (test) => movedWhole(test, face));
t.test('flags, marks, reactions, edits, drafts, saved snippets and followed topics are there after kill -9', (test) =>
  changesKept(test, face),
);
