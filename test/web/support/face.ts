/** The face under a journey: the embedded one or the cluster. SEED picks it; the long form runs journeys on both. */
import t from 'tap';
import { services, startCluster, startEmbedded, type TestServer } from '../../api/support/faces.js';
import { picked } from '../../support/rounds.js';
import { JOURNEYS_WITH_FACES } from './journeys.js';

/** Journeys of a short run on the cluster, which takes 3 to 5 s more CPU each. */
const ON_CLUSTER = 2;
/** Time for a file on the cluster, which waits longer for each answer. */
const CLUSTER_MS = 300_000;

/** WEB_FACE names the face of all journeys: the runner sets it in the long form. */
const isOnCluster = (journey: string): boolean =>
  process.env.WEB_FACE === undefined
    ? picked(JOURNEYS_WITH_FACES, ON_CLUSTER, (name) => name).includes(journey)
    : process.env.WEB_FACE === 'cluster';

/**
 * Starts the server of a journey, on the embedded face if the services are missing; the end of the file stops it.
 *
 * @param options of the configuration of each node
 */
export async function startFace(journey: string, options: Readonly<Record<string, string>> = {}): Promise<TestServer> {
  const known = isOnCluster(journey) ? services(t) : undefined;
  const server = known ? await startCluster(known, undefined, options) : await startEmbedded({ options });
  if (known) t.setTimeout(CLUSTER_MS);
  t.comment(`on the face ${server.kind}`);
  t.teardown(() => server.close());
  return server;
}
