import t from 'tap';
import { startEmbedded } from './harness.js';
import { runSuite } from './run.js';
import { fileTimes } from './suite/file-times.js';
import { time } from './suite/time.js';

await runSuite('embedded face', () => startEmbedded());
await t.test('time', time);
await t.test('files and time', fileTimes);
