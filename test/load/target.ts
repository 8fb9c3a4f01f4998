/** Server under load: a running server, or one that is started for the run. */
import { basic, readZuliprc } from '../support/credentials.js';
import type { Peer } from '../support/http-connection.js';
import type { LoadOptions } from './options.js';

export interface Target {
  readonly site: string;
  /** Frontends over which clients are distributed; one address if a proxy distributes them. */
  readonly peers: readonly Peer[];
  /** Value of the Host header. */
  readonly authority: string;
  /** Path prefix before /api/v1. */
  readonly path: string;
  /** Authorization header of the owner. */
  readonly owner: string;
  /** Known process ids of the server on this machine. */
  readonly pids: readonly number[];
  /** Operator addresses of the server's processes, for their metrics. */
  readonly ops: readonly string[];
  /** Whether the server is known to run on this machine. */
  readonly isLocal: boolean;
  stop(): Promise<void>;
}

/** @throws Error if the site is no http or https URL */
export function addressOf(site: string, insecure: boolean): Pick<Target, 'site' | 'peers' | 'authority' | 'path'> {
  const { protocol, hostname, port, host, pathname } = new URL(site);
  if (protocol !== 'http:' && protocol !== 'https:') throw new Error(`not a URL of http or https: ${site}`);
  const tls = protocol === 'https:';
  const peer = { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || (tls ? 443 : 80), tls, insecure };
  return { site, peers: [peer], authority: host, path: pathname.replace(/\/+$/, '').replace(/\/api(\/v1)?$/, '') };
}

/** @param owner Authorization header of the owner */
export const makeRunningTarget = (
  address: ReturnType<typeof addressOf>,
  owner: string,
  pids: readonly number[] = [],
  ops: readonly string[] = [],
): Target => ({ ...address, owner, pids, ops, isLocal: pids.length > 0, stop: async () => {} });

export async function openTarget(options: LoadOptions): Promise<Target> {
  if (options.zuliprc !== undefined) {
    const { email, key, site } = readZuliprc(options.zuliprc);
    if (email === '' || key === '') throw new Error(`${options.zuliprc} has no email or key`);
    const address = addressOf(options.site ?? site, options.insecure);
    return makeRunningTarget(address, basic(email, key), options.serverPids, options.metrics);
  }
  const { nats, mongodb, hosts, frontends } = options;
  // A run against a running server needs no drivers of NATS and MongoDB, which take 0.9 s of CPU to load.
  const { startFace } = await import('../bench/faces.js');
  // Log level error: the server would warn that it has no mail server for sign-ups.
  const face = await startFace(options.cluster ? 'cluster' : 'embedded', {
    ...{ profile: undefined, logLevel: 'error' },
    ...{ nats, mongodb, hosts, frontends },
  });
  if (!face) throw new Error('--cluster needs NATS_URL and MONGODB_URL');
  const { port, ports, owner, pids, ops } = face;
  const address = addressOf(`http://127.0.0.1:${port}`, false);
  const peers = ports.map((each) => ({ ...address.peers[0]!, port: each }));
  return { ...address, peers, owner, pids, ops, isLocal: true, stop: () => face.stop() };
}
