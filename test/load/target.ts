/** The server under load: somebody's, or one of our own for the time of the run. */

import { basic, startFace } from '../bench/faces.js';
import { readZuliprc } from '../clients/support/api.js';
import type { Peer } from '../support/http-connection.js';
import type { LoadOptions } from './options.js';

export interface Target {
  readonly site: string;
  /** Frontends that clients are spread over; one address where something else spreads them. */
  readonly peers: readonly Peer[];
  /** Value of the Host header. */
  readonly authority: string;
  /** Before /api/v1. */
  readonly path: string;
  /** Header of the owner. */
  readonly owner: string;
  /** Processes on this machine, as far as they are known. */
  readonly pids: readonly number[];
  /** Addresses for operators, with the metrics of its processes. */
  readonly ops: readonly string[];
  /** Whether all of it runs on this machine, as far as is known. */
  readonly isLocal: boolean;
  stop(): Promise<void>;
}

/** @throws Error when it is no URL of http or https */
export function addressOf(site: string, insecure: boolean): Pick<Target, 'site' | 'peers' | 'authority' | 'path'> {
  const { protocol, hostname, port, host, pathname } = new URL(site);
  if (protocol !== 'http:' && protocol !== 'https:') throw new Error(`not a URL of http or https: ${site}`);
  const tls = protocol === 'https:';
  const peer = { host: hostname.replace(/^\[|\]$/g, ''), port: Number(port) || (tls ? 443 : 80), tls, insecure };
  return { site, peers: [peer], authority: host, path: pathname.replace(/\/+$/, '').replace(/\/api(\/v1)?$/, '') };
}

/** @param owner header of the owner */
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
  // Warnings tell that mails of sign-ups find no server.
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
