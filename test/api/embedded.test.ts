import t from 'tap';
import { startEmbedded } from './harness.js';
import { runSuite } from './run.js';
import { slowMarks } from './suite/slow-marks.js';
import { time } from './suite/time.js';

await runSuite('embedded face', () => startEmbedded());
await t.test('time', time);
await t.test('marks that take too long', slowMarks);
