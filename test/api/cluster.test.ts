import t from 'tap';
import { runSuite } from './run.js';
import { services, startCluster } from './support/faces.js';

const at = services(t);
if (at) await runSuite('cluster face', () => startCluster(at));
