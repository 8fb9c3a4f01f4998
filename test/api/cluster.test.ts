import t from 'tap';
import { LONG, picked } from '../support/rounds.js';
import { ONLY, runSuite } from './run.js';
import { BOTH_FACES, ONE_FACE, SUITE } from './suite/index.js';
import { services, startCluster } from './support/faces.js';

const at = services(t);
const others = Object.keys(SUITE).filter((family) => !ONE_FACE.has(family) && !BOTH_FACES.has(family));
const some = new Set(ONLY === '' ? picked(others, others.length / 10, (family) => family) : others);
const families = Object.keys(SUITE).filter((family) => LONG || BOTH_FACES.has(family) || some.has(family));
t.same(
  [...ONE_FACE, ...BOTH_FACES].filter((family) => !(family in SUITE)),
  [],
  'the sets name families of the suite',
);
if (at) await runSuite('cluster face', () => startCluster(at), families);
