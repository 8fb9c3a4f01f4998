/** `conclave cluster …`: hosts and their partitions. The commands need only the cluster's keys in NATS. */
import { AdminError } from '#app/admin';
import type { ServerConfig } from '#app/config';
import { type Clock, REAL_CLOCK, waitOnClock } from '#base/clock';
import { formatNatsServersForLog } from '#ports/nats';
import {
  askHostToDrain,
  askHostToServe,
  type ClusterStatus,
  type HostStatus,
  type KeyValueStore,
  makePlacementBucketOptions,
  NatsKeyValueStore,
  NoPlacementBucketError,
  observeClusterStatus,
} from '#ports/placement';
import type { CliActionsOf } from './command.js';
import { CliUsageError } from './usage.js';

/** Time limit of a drain; handing everything over usually takes a second or two. */
const HOST_DRAIN_TIMEOUT_MS = 60_000;
const HOST_DRAIN_CHECK_INTERVAL_MS = 250;

export const CLUSTER_COMMAND_ACTIONS: CliActionsOf<'cluster'> = {
  'cluster status': (config, { json }) =>
    runWithClusterKeyValueStore(config, async (kv, clock) => {
      const view = await observeClusterStatus(kv, clock);
      process.stdout.write(json ? `${JSON.stringify(view)}\n` : formatClusterStatus(view));
      return view.unowned.length > 0 ? 1 : 0;
    }),

  'cluster drain': (config, _options, _logger, [name = '']) =>
    runWithClusterKeyValueStore(config, (kv, clock) => drainHostAndWait(kv, clock, name)),

  'cluster undrain': (config, _options, _logger, [name = '']) =>
    runWithClusterKeyValueStore(config, async (kv, clock) => {
      const host = requireOneLivingHost(await observeClusterStatus(kv, clock), name);
      const asked = await askHostToServe(kv, host.id);
      printOutputLine(
        asked
          ? `${formatHostIdAndName(host)} takes its share again`
          : `${formatHostIdAndName(host)} was not asked to drain`,
      );
      return 0;
    }),
};

const printOutputLine = (text: string): void => void process.stdout.write(`${text}\n`);
const formatHostIdAndName = ({ id, name }: HostStatus): string => `${id} (${name})`;

async function runWithClusterKeyValueStore(
  config: ServerConfig,
  action: (kv: KeyValueStore, clock: Clock) => Promise<number>,
): Promise<number> {
  const { nats } = config;
  if (nats === undefined) {
    throw new CliUsageError(
      'no cluster is configured: give the same --nats, --mongodb and --secret as its servers have',
    );
  }
  const options = { ...makePlacementBucketOptions(config.namespace), existing: true };
  const kv = await NatsKeyValueStore.connect(nats, options).catch((error: Error) => {
    throw new AdminError(`no NATS server at ${formatNatsServersForLog(nats)}: ${error.message}`);
  });
  try {
    return await action(kv, REAL_CLOCK);
  } catch (error) {
    if (error instanceof AdminError) throw error;
    if (error instanceof NoPlacementBucketError)
      throw new AdminError('no host has ever joined this cluster: is --namespace right?');
    throw new AdminError(`the cluster's keys cannot be reached in NATS: ${(error as Error).message}`);
  } finally {
    await kv.close();
  }
}

function formatClusterStatus({ hosts, partitions, unowned }: ClusterStatus): string {
  const rows = hosts.map(({ id, name, state, store, partitions: owns, serving, version, silentMs }) => {
    const epochs = partitions.filter(({ owner }) => owner === id).map(({ epoch }) => epoch);
    const range = epochs.length === 0 ? '-' : `${Math.min(...epochs)}-${Math.max(...epochs)}`;
    const silent = state === 'silent' ? `${(silentMs / 1000).toFixed(1)} s or more` : '';
    return [id, name, state, store, String(owns), String(serving), range, version, silent];
  });
  const head = ['HOST', 'NAME', 'STATE', 'STORE', 'PARTITIONS', 'SERVING', 'EPOCHS', 'VERSION', 'SILENT FOR'];
  const all = `${partitions.length - unowned.length} of ${partitions.length} partitions have a living owner`;
  return `${formatAlignedTable([head, ...rows])}\n${all}\n`;
}

/** Finds a living host by its id or name, or by the beginning of either. @throws AdminError unless exactly one fits */
function requireOneLivingHost({ hosts }: Pick<ClusterStatus, 'hosts'>, name: string): HostStatus {
  const living = hosts.filter(({ state }) => state !== 'dead');
  const exact = living.filter(({ id, name: full }) => id === name || full === name);
  const found = exact.length > 0 ? exact : living.filter((h) => h.id.startsWith(name) || h.name.startsWith(name));
  const [first] = found;
  if (first && found.length === 1) return first;
  if (first) throw new AdminError(`'${name}' may be any of ${found.map(formatHostIdAndName).join(', ')}`);
  const known = living.length > 0 ? `: there are ${living.map(formatHostIdAndName).join(', ')}` : ': there is none';
  throw new AdminError(`no host is called '${name}'${known}`);
}

async function drainHostAndWait(kv: KeyValueStore, clock: Clock, name: string): Promise<number> {
  const view = await observeClusterStatus(kv, clock);
  const host = requireOneLivingHost(view, name);
  await askHostToDrain(kv, host.id);
  if (!view.hosts.some(({ id, state }) => id !== host.id && state === 'alive')) {
    throw new AdminError(`${formatHostIdAndName(host)} continues until another host can take over: none is alive now`);
  }
  const until = clock.monotonic() + HOST_DRAIN_TIMEOUT_MS;
  for (;;) {
    const now = (await observeClusterStatus(kv, clock)).hosts.find(({ id }) => id === host.id);
    if (!now || now.state === 'dead' || (now.state === 'drained' && now.partitions === 0)) break;
    if (clock.monotonic() > until) {
      throw new AdminError(
        `${formatHostIdAndName(host)} still owns ${now.partitions} partitions after ${HOST_DRAIN_TIMEOUT_MS / 1000} s`,
      );
    }
    await waitOnClock(clock, HOST_DRAIN_CHECK_INTERVAL_MS);
  }
  printOutputLine(`${formatHostIdAndName(host)} owns nothing`);
  return 0;
}

/** Text of a table with aligned columns; the first row is the head. */
function formatAlignedTable(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows
    .map((row) =>
      row
        .map((cell, i) => cell.padEnd(widths[i]!))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}
