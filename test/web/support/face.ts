/** The face under a journey. Most run on the embedded one, which starts quickly; SEED picks some for the cluster. */
import t from 'tap';
import { services, startCluster, startEmbedded, type TestServer } from '../../api/support/faces.js';
import { picked } from '../../support/rounds.js';

/** Journeys that are known to pass on both faces. Two people chat on either, by SEED (journey.test.ts). */
const JOURNEYS = ['finding', 'frame', 'spectators'];
/** Journeys of one run on the cluster; the long form runs all of them there. */
const ON_CLUSTER = 1;
/** Time for a file on the cluster, which waits longer for each answer. */
const CLUSTER_MS = 300_000;

/** WEB_TEST_CLUSTER=NAME tries any other journey there. */
const chosen: readonly string[] = [
  ...picked(JOURNEYS, ON_CLUSTER, (name) => name),
  ...(process.env.WEB_TEST_CLUSTER?.split(',') ?? []),
];

/** Starts the server of a journey; the end of the file stops it. */
export async function startFace(journey: string): Promise<TestServer> {
  const known = chosen.includes(journey) ? services(t) : undefined;
  const server = known ? await startCluster(known) : await startEmbedded();
  if (known) t.setTimeout(CLUSTER_MS);
  t.comment(`on the face ${server.kind}`);
  t.teardown(() => server.close());
  return server;
}
