/** `conclave cluster …`: hosts and what they own. Only the keys of the cluster are needed, no host has to answer. */
import { AdminError } from '#app/admin';
import type { Config } from '#app/config';
import { type Clock, REAL_CLOCK, wait } from '#base/clock';
import { natsName } from '#ports/nats';
import {
  askToDrain,
  askToServe,
  type ClusterView,
  type HostStatus,
  type KeyValue,
  NatsKv,
  NoBucket,
  placementBucket,
  viewCluster,
} from '#ports/placement';
import type { AdminCommand } from './command.js';
import { table } from './table.js';

/** Handing everything over takes a second or two. */
const DRAIN_MS = 60_000;
const LOOK_AGAIN_MS = 250;

export const CLUSTER_COMMANDS: Readonly<Record<string, AdminCommand>> = {
  'cluster status': {
    words: [],
    run: (config, options) =>
      withCluster(config, async (kv, clock) => {
        const view = await viewCluster(kv, clock);
        // The parser of the command line gives a flag as true.
        const json = Boolean(options.json);
        process.stdout.write(json ? `${JSON.stringify(view)}\n` : describe(view));
        return view.unowned.length > 0 ? 1 : 0;
      }),
  },
  'cluster drain': {
    words: ['HOST'],
    run: (config, _options, _logger, [name = '']) => withCluster(config, (kv, clock) => drain(kv, clock, name)),
  },
  'cluster undrain': {
    words: ['HOST'],
    run: (config, _options, _logger, [name = '']) =>
      withCluster(config, async (kv, clock) => {
        const host = find(await viewCluster(kv, clock), name);
        const asked = await askToServe(kv, host.id);
        say(asked ? `${called(host)} takes its share again` : `${called(host)} was not asked to own nothing`);
        return 0;
      }),
  },
};

const say = (text: string): void => void process.stdout.write(`${text}\n`);
const called = ({ id, name }: HostStatus): string => `${id} (${name})`;

async function withCluster(config: Config, action: (kv: KeyValue, clock: Clock) => Promise<number>): Promise<number> {
  const { nats } = config;
  if (nats === undefined) {
    throw new AdminError('no cluster is configured: give --nats, --mongodb and --secret as to its servers');
  }
  const options = { ...placementBucket(config.namespace), existing: true };
  const kv = await NatsKv.connect(nats, options).catch((error: Error) => {
    throw new AdminError(`no NATS server at ${natsName(nats)}: ${error.message}`);
  });
  try {
    return await action(kv, REAL_CLOCK);
  } catch (error) {
    if (error instanceof AdminError) throw error;
    if (error instanceof NoBucket) throw new AdminError('no host has ever joined this cluster: is --namespace right?');
    throw new AdminError(`the cluster's keys cannot be reached in NATS: ${(error as Error).message}`);
  } finally {
    await kv.close();
  }
}

function describe({ hosts, partitions, unowned }: ClusterView): string {
  const rows = hosts.map(({ id, name, state, store, partitions: owns, serving, version, silentMs }) => {
    const epochs = partitions.filter(({ owner }) => owner === id).map(({ epoch }) => epoch);
    const range = epochs.length === 0 ? '-' : `${Math.min(...epochs)}-${Math.max(...epochs)}`;
    const silent = state === 'silent' ? `${(silentMs / 1000).toFixed(1)} s or more` : '';
    return [id, name, state, store, String(owns), String(serving), range, version, silent];
  });
  const head = ['HOST', 'NAME', 'STATE', 'STORE', 'PARTITIONS', 'SERVING', 'EPOCHS', 'VERSION', 'SILENT FOR'];
  const all = `${partitions.length - unowned.length} of ${partitions.length} partitions have a living owner`;
  return `${table([head, ...rows])}\n${all}\n`;
}

/** @throws AdminError unless exactly one living host is meant */
export function find({ hosts }: Pick<ClusterView, 'hosts'>, name: string): HostStatus {
  const living = hosts.filter(({ state }) => state !== 'dead');
  const exact = living.filter(({ id, name: full }) => id === name || full === name);
  const found = exact.length > 0 ? exact : living.filter((h) => h.id.startsWith(name) || h.name.startsWith(name));
  const [first] = found;
  if (first && found.length === 1) return first;
  if (first) throw new AdminError(`'${name}' may be any of ${found.map(called).join(', ')}`);
  const known = living.length > 0 ? `: there are ${living.map(called).join(', ')}` : ': there is none';
  throw new AdminError(`no host is called '${name}'${known}`);
}

async function drain(kv: KeyValue, clock: Clock, name: string): Promise<number> {
  const view = await viewCluster(kv, clock);
  const host = find(view, name);
  await askToDrain(kv, host.id);
  if (!view.hosts.some(({ id, state }) => id !== host.id && state === 'alive')) {
    throw new AdminError(`${called(host)} goes on until there is another host to take over: none is alive now`);
  }
  const until = clock.monotonic() + DRAIN_MS;
  for (;;) {
    const now = (await viewCluster(kv, clock)).hosts.find(({ id }) => id === host.id);
    if (!now || now.state === 'dead' || (now.state === 'drained' && now.partitions === 0)) break;
    if (clock.monotonic() > until) {
      throw new AdminError(`${called(host)} still owns ${now.partitions} partitions after ${DRAIN_MS / 1000} s`);
    }
    await wait(clock, LOOK_AGAIN_MS);
  }
  say(`${called(host)} owns nothing`);
  return 0;
}
