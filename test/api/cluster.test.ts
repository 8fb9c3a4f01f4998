import t from 'tap';
import { LONG } from '../support/rounds.js';
import { runSuite } from './run.js';
import { ONE_FACE, SUITE } from './suite/index.js';
import { services, startCluster } from './support/faces.js';

const at = services(t);
const families = Object.keys(SUITE).filter((family) => LONG || !ONE_FACE.has(family));
if (at) await runSuite('cluster face', () => startCluster(at), families);
