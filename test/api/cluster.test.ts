import t from 'tap';
import { services, startCluster } from './harness.js';
import { runSuite } from './run.js';

const at = services(t);
if (at) await runSuite('cluster face', () => startCluster(at));
