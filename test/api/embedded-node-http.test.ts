import { startEmbedded } from './harness.js';
import { runSuite } from './run.js';

await runSuite('embedded face on node:http', () => startEmbedded({ httpAdapter: 'node' }));
