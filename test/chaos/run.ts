/** Chaos run: starts processes and clients, injects faults, checks the recorded history, builds the report. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Random } from '../cluster/scheduler.js';
import { check } from './checker.js';
import { ChaosCluster } from './cluster.js';
import { ChaosEmbedded } from './embedded.js';
import type { ChaosOptions } from './options.js';
import { injectFaults, type Outage, serviceRestarts, storeCuts } from './plan.js';
import { type Report, report } from './report.js';
import { OwnServices } from './services.js';
import { Traffic } from './traffic.js';

export type LogProgress = (words: string) => void;

/** Cleanup steps of a run, executed in reverse order of their registration. */
export class Cleanup {
  readonly #all: (() => Promise<void>)[] = [];

  add(end: () => Promise<void>): void {
    this.#all.push(end);
  }

  async run(): Promise<void> {
    for (let end = this.#all.pop(); end; end = this.#all.pop()) {
      await end().catch((error: unknown) => process.stderr.write(`${error}\n`));
    }
  }
}

export type Cluster = ChaosCluster | ChaosEmbedded;

/** Started processes and clients, with the load running. */
export interface ActiveRun {
  readonly cluster: Cluster;
  readonly traffic: Traffic;
  readonly services: readonly Outage[];
  readonly random: Random;
}

export async function startRun(options: ChaosOptions, cleanup: Cleanup, log: LogProgress): Promise<ActiveRun> {
  const random = new Random(options.seed);
  log(`seed ${options.seed}`);
  const { cluster, services } = await startProcesses(options, cleanup);
  cleanup.add(() => cluster.stop());
  if (options.logs !== undefined) {
    const folder = options.logs;
    cleanup.add(async () => cluster.processes.writeLogs(folder));
  }
  log(`${cluster.members.map(({ name }) => name).join(', ')} run; making accounts and streams`);
  const traffic = await Traffic.prepare(
    cluster.frontends,
    await cluster.owner(),
    options,
    new Random(options.seed + 1),
  );
  cleanup.add(() => traffic.close());
  const progress = setInterval(() => log(formatProgress(traffic)), PROGRESS_MS);
  cleanup.add(async () => clearInterval(progress));
  log(`${traffic.pollers.length} queues; ${options.rate} sends per second`);
  traffic.load.start();
  return { cluster, traffic, services, random };
}

const PROGRESS_MS = 5_000;

async function startProcesses(
  options: ChaosOptions,
  cleanup: Cleanup,
): Promise<{ cluster: Cluster; services: readonly Outage[] }> {
  if (options.face === 'embedded') return { cluster: await ChaosEmbedded.start(), services: [] };
  const random = new Random(options.seed + 2);
  if (options.services) {
    const cluster = await ChaosCluster.start(options.services, options);
    return { cluster, services: storeCuts(cluster, options.cuts, options.cutSeconds, random) };
  }
  const own = await OwnServices.start();
  cleanup.add(() => own.stop());
  const cluster = await ChaosCluster.start(own, options);
  return {
    cluster,
    services: [...serviceRestarts(own), ...storeCuts(cluster, options.cuts, options.cutSeconds, random)],
  };
}

function formatProgress({ load, pollers, frontends }: Traffic): string {
  const events = pollers.reduce((sum, { keys }) => sum + keys.size, 0);
  const failed = load.writes.length - load.acknowledged - load.inFlight;
  const ended = pollers.reduce((sum, poller) => sum + poller.ended.length, 0);
  return (
    `${load.acknowledged} acknowledged, ${load.inFlight} under way, ${failed} failed; ${events} events; ` +
    `${ended} queues ended; ${frontends.refusedConnections} connections refused`
  );
}

/** Runs the load with the kills, service restarts and store cuts of the options. */
export async function runChaos(options: ChaosOptions, cleanup: Cleanup, log: LogProgress): Promise<Report> {
  const { cluster, traffic, services, random } = await startRun(options, cleanup, log);
  const { seconds, kills, every, seed } = options;
  await injectFaults(cluster, services, { seconds, kills, every, random, log, interruptions: traffic.interruptions });
  // The load goes on for up to 5 s after the last fault, so that the effects of that fault are recorded.
  await sleep(Math.min(5_000, every * 1_000));
  return judge(traffic, seed, log);
}

export async function judge(traffic: Traffic, seed: number, log: LogProgress): Promise<Report> {
  log('waiting for all queues');
  const history = await traffic.finish();
  return report(history, check(history), traffic.pollers, seed, traffic.load.skipped);
}
