/** The face under a journey: the embedded one or the cluster. SEED picks it; the long form runs journeys on both. */
import t from 'tap';
import { type Services, services, startCluster, startEmbedded, type TestServer } from '../../api/support/faces.js';
import { picked } from '../../support/rounds.js';
import { JOURNEYS_WITH_FACES } from './journeys.js';

/** Journeys of a short run on the cluster, which takes 3 to 5 s more CPU each. */
const ON_CLUSTER = 2;
/** Time for a file on the cluster, which waits longer for each answer: twice that of a file on the embedded face. */
const CLUSTER_MS = Number(process.env.TAP_TIMEOUT ?? 300) * 2_000;

/** WEB_FACE names the face of all journeys: the runner sets it in the long form. */
const isOnCluster = (journey: string): boolean =>
  process.env.WEB_FACE === undefined
    ? picked(JOURNEYS_WITH_FACES, ON_CLUSTER, (name) => name).includes(journey)
    : process.env.WEB_FACE === 'cluster';

/** The services if the journey runs on the cluster: undefined on the embedded face, and if they are missing. */
export function servicesOf(journey: string): Services | undefined {
  const known = isOnCluster(journey) ? services(t) : undefined;
  if (known) t.setTimeout(CLUSTER_MS);
  t.comment(`on the face ${known ? 'cluster' : 'embedded'}`);
  return known;
}

/**
 * Starts the server of a journey, on the embedded face if the services are missing; the end of the file stops it.
 *
 * @param options of the configuration of each node
 */
export async function startFace(journey: string, options: Readonly<Record<string, string>> = {}): Promise<TestServer> {
  const known = servicesOf(journey);
  const server = known ? await startCluster(known, undefined, options) : await startEmbedded({ options });
  t.teardown(() => server.close());
  return server;
}
