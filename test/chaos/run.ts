/** A run from its first process to its report. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Random } from '../cluster/scheduler.js';
import { check } from './checker.js';
import { ChaosCluster } from './cluster.js';
import { ChaosEmbedded } from './embedded.js';
import type { ChaosOptions } from './options.js';
import { injectFaults, listServiceRestarts, planStoreCuts, type Restart } from './plan.js';
import { type Report, report } from './report.js';
import { OwnServices } from './services.js';
import { Traffic } from './traffic.js';

export type Say = (words: string) => void;

/** Things to end after the run; the last added one ends first. */
export class CleanupSteps {
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

/** Processes and clients with the load at work. */
export interface Running {
  readonly cluster: Cluster;
  readonly traffic: Traffic;
  readonly services: readonly Restart[];
  readonly random: Random;
}

export async function begin(options: ChaosOptions, ends: CleanupSteps, say: Say): Promise<Running> {
  const random = new Random(options.seed);
  say(`seed ${options.seed}`);
  const { cluster, services } = await processes(options, ends);
  ends.add(() => cluster.stop());
  if (options.logs !== undefined) {
    const folder = options.logs;
    ends.add(async () => cluster.processes.writeLogs(folder));
  }
  say(`${cluster.members.map(({ name }) => name).join(', ')} run; making accounts and streams`);
  const traffic = await Traffic.prepare(
    cluster.frontends,
    await cluster.owner(),
    options,
    new Random(options.seed + 1),
  );
  ends.add(() => traffic.close());
  const progress = setInterval(() => say(formatProgress(traffic)), PROGRESS_MS);
  ends.add(async () => clearInterval(progress));
  say(`${traffic.pollers.length} queues; ${options.rate} sends per second`);
  traffic.load.start();
  return { cluster, traffic, services, random };
}

const PROGRESS_MS = 5_000;

async function processes(
  options: ChaosOptions,
  ends: CleanupSteps,
): Promise<{ cluster: Cluster; services: readonly Restart[] }> {
  if (options.face === 'embedded') return { cluster: await ChaosEmbedded.start(), services: [] };
  const random = new Random(options.seed + 2);
  if (options.services) {
    const cluster = await ChaosCluster.start(options.services, options);
    return { cluster, services: planStoreCuts(cluster, options.cuts, options.cutSeconds, random) };
  }
  const own = await OwnServices.start();
  ends.add(() => own.stop());
  const cluster = await ChaosCluster.start(own, options);
  return {
    cluster,
    services: [...listServiceRestarts(own), ...planStoreCuts(cluster, options.cuts, options.cutSeconds, random)],
  };
}

function formatProgress({ load, pollers, frontends }: Traffic): string {
  const events = pollers.reduce((sum, { keys }) => sum + keys.size, 0);
  const failed = load.writes.length - load.acknowledged - load.underWay;
  const ended = pollers.reduce((sum, poller) => sum + poller.ended.length, 0);
  return (
    `${load.acknowledged} acknowledged, ${load.underWay} under way, ${failed} failed; ${events} events; ` +
    `${ended} queues ended; ${frontends.refusedConnections} connections refused`
  );
}

/** Kills and restarts as the options say. */
export async function chaos(options: ChaosOptions, ends: CleanupSteps, say: Say): Promise<Report> {
  const { cluster, traffic, services, random } = await begin(options, ends, say);
  const { seconds, kills, every, seed } = options;
  await injectFaults(cluster, services, { seconds, kills, every, random, say, interruptions: traffic.interruptions });
  // The effects of the last fault must show, too.
  await sleep(Math.min(5_000, every * 1_000));
  return finishAndCheck(traffic, seed, say);
}

export async function finishAndCheck(traffic: Traffic, seed: number, say: Say): Promise<Report> {
  say('waiting for all queues');
  const history = await traffic.finish();
  return report(history, check(history), traffic.pollers, seed, traffic.load.skippedSends);
}
