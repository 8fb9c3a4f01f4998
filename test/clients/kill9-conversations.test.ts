/**
 * Embedded face: what is done with messages after they were sent survives `kill -9`. `SEED=7 node …` chooses the same
 * moments again, as far as a machine can.
 */
import t from 'tap';
import { changesKept } from './support/crash-changes.js';
import { movedWhole } from './support/crash-moves.js';
import { scheduledOnce } from './support/crash-scheduled.js';
import { seed } from './support/world.js';

t.comment(`SEED=${seed}`);
t.test('scheduled messages are sent once, whenever the server is killed', scheduledOnce);
t.test('a large topic is moved whole or not at all', movedWhole);
t.test('flags, marks, reactions, edits and drafts are there after kill -9', changesKept);
