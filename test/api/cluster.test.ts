import t from 'tap';
import { LONG, picked } from '../support/rounds.js';
import { NAMED_FAMILIES, runSuite } from './run.js';
import { BOTH_FACES, OFTEN_ON_BOTH_FACES, ONE_FACE, SUITE } from './suite/index.js';
import { services, startCluster } from './support/faces.js';

/** A short run has the third or the tenth part of these families on the cluster. */
const [OFTEN, SELDOM] = [3, 10];

const at = services(t);
const sets = [ONE_FACE, BOTH_FACES, OFTEN_ON_BOTH_FACES];
const others = Object.keys(SUITE).filter((family) => !sets.some((set) => set.has(family)));
const some = (families: readonly string[], part: number): readonly string[] =>
  NAMED_FAMILIES ? families : picked(families, families.length / part, (family) => family);
const chosen = new Set([...BOTH_FACES, ...some([...OFTEN_ON_BOTH_FACES], OFTEN), ...some(others, SELDOM)]);
const families = Object.keys(SUITE).filter((family) => LONG || chosen.has(family));
t.same(
  sets.flatMap((set) => [...set]).filter((family) => !(family in SUITE)),
  [],
  'the sets name families of the suite',
);
if (at) await runSuite('cluster face', () => startCluster(at), families);
