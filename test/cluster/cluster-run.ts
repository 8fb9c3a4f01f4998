/** One run of the simulated cluster: users act, processes fail, all work finishes, and the record is checked. */

import { type ActorKey, eventQueueActorKey, type LogEntry, parseActorKey, toEventQueueId, toUserId } from '#model';
import type { EventQueueActorState } from '../../actors/event-queue/state.js';
import { CLIENTS } from '../api/support/comparable.js';
import type { ApiEvent } from '../api/support/types.js';
import { joinedBy } from './check-joins.js';
import { checkDeliveredSoon, checkRun } from './check-run.js';
import type { CallRecord, MailRecord, QueueRecord, RunRecord } from './record.js';
import { settlePromises } from './scheduler.js';
import { SimClient } from './sim-client.js';
import { type FaultKind, SimCluster } from './sim-cluster.js';
import { DEACTIVATED_USER, type StartState } from './start-state.js';
import { listUnfinishedEffects } from './unfinished-effects.js';
import { UserActivity } from './user-activity.js';

/** Planned changes, which no client should notice. */
const GRACEFUL_FAULTS: readonly FaultKind[] = [
  'release',
  'move',
  'passivate',
  'join',
  'leave',
  'join',
  'stop frontend',
  'new frontend',
];
/** Faults of runs in which calls may fail. Repeated entries are more frequent. */
const ALL_FAULTS: readonly FaultKind[] = [
  'crash',
  'crash',
  'freeze',
  'thaw',
  'lapse',
  'lapse',
  'release',
  'move',
  'move',
  'move',
  'passivate',
  'join',
  'leave',
  'cut',
  'cut',
  'slow',
  'slow',
  'slow',
  'heal cut',
  'kill frontend',
  'stop frontend',
  'new frontend',
  'store outage',
  'store outage of one host',
  'store outage of one host',
  'log outage',
];

/** Time after the last fault by which acknowledged sends are in the log without a further request, ms. */
const RECOVERY_MS = 9_000;
/** Wait for mails about missed messages, ms: their batching period of 120 s and 5 s more. */
const MAIL_WAIT_MS = 125_000;
/** Largest number of passivation rounds; a mail that comes due loads its user's actor again. */
const MAX_PASSIVATION_ROUNDS = 10;

export interface ClusterResult {
  readonly problems: readonly string[];
  readonly trace: readonly string[];
  readonly fingerprint: string;
  readonly steps: number;
  readonly responses: number;
  readonly events: number;
  readonly faults: number;
}

export interface ClusterRunOptions {
  /** Number of newest trace lines to keep. */
  readonly maxTraceLines?: number;
}

export class ClusterRun {
  readonly cluster: SimCluster;
  readonly calls: CallRecord[] = [];
  readonly queues: QueueRecord[] = [];
  readonly clients: SimClient[];
  readonly activities: UserActivity[];
  readonly #problems: string[] = [];
  readonly #isGraceful: boolean;
  #injectedFaults = 0;
  #isFinishing = false;
  #actionsLeft: number;

  constructor(
    seed: number,
    private readonly startState: StartState,
    { maxTraceLines }: ClusterRunOptions = {},
  ) {
    const { partitions, users } = startState;
    this.cluster = new SimCluster({ seed, partitions, startState, ...(maxTraceLines && { maxTraceLines }) });
    const { random } = this.cluster;
    this.#isGraceful = random.chance(0.2);
    this.#actionsLeft = 15 + random.below(40);
    const clientTypes = Object.keys(CLIENTS);
    this.clients = [...users, users[1]!].map((user, i) => {
      const clientType = random.pick(clientTypes);
      const onRegistered = (queue: QueueRecord): void => this.#recordQueue(queue);
      const onEvents = (events: readonly ApiEvent[]): void => {
        for (const stream of events.flatMap(joinedBy)) this.#sendAfterJoin(user.id, stream);
      };
      return new SimClient(`${user.name}${i}`, user, clientType, this.cluster, onRegistered, onEvents);
    });
    this.activities = users.map((user) => {
      const clientsOfUser = this.clients.filter((client) => client.user === user);
      const onSubscribed = (targetUser: number, stream: number): void => this.#sendAfterJoin(targetUser, stream);
      return new UserActivity(user, clientsOfUser, this.cluster, startState, this.calls, onSubscribed);
    });
  }

  async run(): Promise<ClusterResult> {
    const { cluster } = this;
    const { random } = cluster;
    cluster.start();
    cluster.isGraceful = this.#isGraceful;
    cluster.placement.movesOneAtATime = this.#isGraceful;
    cluster.maxClockStepMs = this.#isGraceful ? 40 : random.pick([40, 200, 1_000]);
    const faultRate = random.pick([0.004, 0.01, 0.03]);
    const kinds = this.#isGraceful ? GRACEFUL_FAULTS : ALL_FAULTS;
    if (!this.#isGraceful) {
      cluster.network.frameFaultRate = random.pick([0, 0.01, 0.05]);
      cluster.faults.failureRate = random.pick([0, 0, 0.01]);
      cluster.faults.lostEntryRate = random.pick([0, 0.05, 0.3]);
      cluster.network.routesToAnyServer = random.chance(0.5);
      cluster.placement.delayRate = random.pick([0, 0.2]);
    }
    const deactivationAt = random.chance(0.3) ? random.below(this.#actionsLeft) : -1;
    let steps = 4_000;
    while (steps-- > 0 && (this.#actionsLeft > 0 || random.chance(0.997))) {
      if (this.#actionsLeft > 0 && random.chance(0.04)) {
        if (this.#actionsLeft-- === deactivationAt)
          this.activities[0]!.deactivate(this.#activityOf(DEACTIVATED_USER).user.id);
        else random.pick(this.activities).act();
      }
      if (random.chance(0.08)) random.pick(this.clients).act();
      if (random.chance(faultRate)) {
        this.#injectedFaults++;
        cluster.injectFault(random.pick(kinds));
      }
      await cluster.step();
    }
    await this.#finish();
    const record = this.#record();
    const problems = [...this.#problems, ...cluster.problems, ...cluster.roots.problems, ...this.#findLeftovers()];
    if (problems.length === 0 || this.queues.length > 0) problems.push(...checkRun(record));
    const { scheduler } = cluster;
    return {
      problems,
      trace: scheduler.trace,
      fingerprint: scheduler.fingerprint,
      steps: scheduler.steps,
      responses: this.calls.filter(({ outcome }) => outcome === 'ok').length,
      events: this.queues.reduce((n, { polls }) => n + polls.reduce((sum, { events }) => sum + events.length, 0), 0),
      faults: this.#injectedFaults,
    };
  }

  #activityOf(name: string): UserActivity {
    return this.activities.find(({ user }) => user.name === name)!;
  }

  #sendAfterJoin(targetUser: number, stream: number): void {
    if (!this.#isFinishing) this.activities.find(({ user }) => user.id === targetUser)?.sendAfterJoin(stream);
  }

  #recordQueue(queue: QueueRecord): void {
    this.queues.push(queue);
    const key = eventQueueActorKey(this.startState.realm, toUserId(queue.user), toEventQueueId(queue.id));
    const firstRoot = this.cluster.roots.firstRoots.get(key);
    if (firstRoot) queue.firstState = firstRoot.state as unknown as EventQueueActorState;
    else this.#problems.push(`a queue of ${queue.user} was registered and is not stored`);
  }

  async #waitUntil(condition: string, isMet: () => boolean, ms = 600_000): Promise<boolean> {
    const { cluster } = this;
    const deadline = cluster.clock.monotonic() + ms;
    const maxSteps = cluster.scheduler.steps + 60_000;
    while (!isMet()) {
      if (cluster.clock.monotonic() > deadline || cluster.scheduler.steps > maxSteps) {
        this.#problems.push(`did not happen: ${condition}`);
        return false;
      }
      await cluster.step();
    }
    return true;
  }

  async #passTime(ms: number, onStep: () => void = () => {}): Promise<void> {
    const { clock } = this.cluster;
    const until = clock.monotonic() + ms;
    await this.#waitUntil('time passes', () => {
      onStep();
      return clock.monotonic() >= until;
    });
  }

  /** Ends all faults, then waits until calls have responses, queues are empty and actors are passivated. */
  async #finish(): Promise<void> {
    const { cluster, clients } = this;
    this.#isFinishing = true;
    if (!this.#isGraceful) await this.#crashHostsLast();
    const healedMs = cluster.clock.now();
    cluster.heal();
    await this.#passTime(RECOVERY_MS);
    await this.#finishRunningWork();
    this.#problems.push(...checkDeliveredSoon(this.#record(), healedMs));
    await this.#waitUntil('every call has a response', () => this.calls.every(({ outcome }) => outcome !== 'open'));
    const pollAll = (): void => {
      for (const client of clients)
        if (client.queue && !client.isPolling && !client.isBusy && !client.isFinished) client.poll(false);
    };
    for (const activity of this.activities) if (cluster.random.chance(0.5)) activity.readAll();
    await this.#waitUntil('all is marked as read', () => this.calls.every(({ outcome }) => outcome !== 'open'));
    // Scheduled messages come due, and clients poll their events.
    const lastDueMs = Math.max(0, ...this.calls.map(({ scheduledS = 0 }) => scheduledS * 1000 - cluster.clock.now()));
    await this.#passTime(lastDueMs + 15_000, pollAll);
    const clientsWithQueue = clients.filter((client) => client.queue && !client.isFinished);
    for (const client of clientsWithQueue) {
      client.abandon();
      await this.#drain(client);
    }
    for (const activity of this.activities) activity.fetch();
    await this.#waitUntil('every fetch has a response', () => this.calls.every(({ outcome }) => outcome !== 'open'));
    // The clock passes the batching period, so that mails about missed messages are sent.
    await this.#passTime(MAIL_WAIT_MS);
    for (const client of clientsWithQueue)
      if (client.queue && !client.isFinished) await this.#fetchFinalStateAndDelete(client);
    await this.#passivateActors();
  }

  /** Finishes running work while the clock stands still, because the seed may delay a write by seconds. */
  async #finishRunningWork(): Promise<void> {
    for (let steps = 20_000; steps > 0; steps--) if (!(await this.cluster.stillStep())) return;
    this.#problems.push('did not happen: the end of running work');
  }

  /** Schedules messages, then crashes hosts. No later request may load an actor whose timer a new owner forgot. */
  async #crashHostsLast(): Promise<void> {
    const { cluster } = this;
    const before = this.calls.length;
    for (const activity of this.activities) if (activity.user.name !== DEACTIVATED_USER) activity.schedule();
    const scheduled = this.calls.slice(before);
    for (let steps = 400; steps > 0 && scheduled.some(({ outcome }) => outcome === 'open'); steps--)
      await cluster.step();
    for (const host of cluster.hosts) if (!host.frozen) cluster.passivate(host);
    for (let steps = cluster.random.below(200); steps > 0; steps--) await cluster.step();
    for (const _ of cluster.hosts.slice(1)) cluster.injectFault('crash');
  }

  /** Polls until the queue is empty. */
  async #drain(client: SimClient): Promise<void> {
    for (let i = 0; i < 20; i++) {
      const { newestEventId } = client;
      client.poll(true);
      if (!(await this.#waitUntil(`the last poll of ${client.name}`, () => !client.isPolling, 60_000))) return;
      const poll = client.queue!.polls.at(-1)!;
      if (poll.outcome === 'ok' && client.newestEventId === newestEventId && poll.lastEventId === newestEventId) return;
      if (client.isFinished) return;
    }
    this.#problems.push(`${client.name}: still gets events after 20 polls`);
  }

  async #fetchFinalStateAndDelete(client: SimClient): Promise<void> {
    let isAnswered = false;
    client.fetchState((state) => {
      client.queue!.finalState = state;
      isAnswered = true;
    });
    await this.#waitUntil(`the final registration of ${client.name}`, () => isAnswered, 60_000);
    const { queue } = client;
    if (!queue?.finalState) this.#problems.push(`${client.name}: no final registration`);
    client.delete();
    const ids = [String(queue?.finalState?.queue_id)];
    let open = ids.length;
    for (const queue_id of ids) client.request('DELETE', '/events', { queue_id }, () => open--);
    await this.#waitUntil(`the end of the queues of ${client.name}`, () => open === 0 && !client.isBusy, 60_000);
  }

  async #passivateActors(): Promise<void> {
    const { cluster } = this;
    const isActive = (): boolean =>
      cluster.hosts.reduce((sum, { host }) => sum + host.activeActorKeys.length, 0) > this.#listOrphanedQueues().length;
    // Mails about missed messages may come due meanwhile, and load the actors of their users again.
    for (let round = 1; round <= 2 || (round <= MAX_PASSIVATION_ROUNDS && isActive()); round++) {
      let passive = 0;
      for (const { host } of cluster.hosts) void host.passivateIdleActors(0).then(() => passive++);
      await this.#waitUntil(`passivation ${round}`, () => passive === cluster.hosts.length);
      await this.#passTime(6_000);
    }
    const active = cluster.hosts.flatMap(({ name, host }) => host.activeActorKeys.map((key) => `${name} ${key}`));
    const orphanedQueues = this.#listOrphanedQueues();
    if (active.length > orphanedQueues.length) {
      const names = cluster.scheduler.replaceQueueIds(active.join());
      this.#problems.push(`${active.length} actors stay in memory (${names}), queues left: ${orphanedQueues.length}`);
    }
    await settlePromises();
  }

  #findLeftovers(): string[] {
    const problems: string[] = [];
    const orphanedQueues = this.#listOrphanedQueues();
    const { roots, log, store, scheduler } = this.cluster;
    const entriesOf = (key: ActorKey): LogEntry[] =>
      log.entriesOfRealm(parseActorKey(key).realm).map(({ value }) => value as unknown as LogEntry);
    for (const root of roots.values()) {
      const { key } = root;
      if (orphanedQueues.includes(key)) continue;
      const unfinished = root.outbox.length === 0 ? [] : listUnfinishedEffects(root, entriesOf(key), store.contents);
      if (unfinished.length > 0)
        problems.push(scheduler.replaceQueueIds(`${key}: not carried out: ${unfinished.join()}`));
      if (key.startsWith('queue/')) problems.push(`${scheduler.replaceQueueIds(key)} was not deleted`);
    }
    return problems;
  }

  /**
   * Queues without a client, which end after their lifespan: the response to the registration or deletion was lost, the
   * registration command was delivered twice, or the user was deactivated.
   */
  #listOrphanedQueues(): ActorKey[] {
    const { roots } = this.cluster;
    const queueKeys = [...roots.keys()].filter((key) => key.startsWith('queue/'));
    return queueKeys.filter(
      (key) =>
        roots.endedActors.has(key) ||
        !this.queues.some(({ id, isDeletionConfirmed }) => isDeletionConfirmed && key.endsWith(id)),
    );
  }

  #missedMails(): MailRecord[] {
    return this.cluster.mails.flatMap(({ id, to, thread, text, date }) => {
      const user = this.startState.users.find(({ name }) => to.startsWith(`${name}@`));
      if (thread === undefined || !user) return [];
      const ops = [...text.matchAll(/\b(op\d+) (?:says|edit:)/g)].map(([, op]) => op!);
      return [{ id, user: user.id, thread, date, ops }];
    });
  }

  #record(): RunRecord {
    const { cluster, startState } = this;
    const messages = [...(cluster.store.contents.messages.get(startState.realm)?.values() ?? [])].flatMap(
      ({ value }) => {
        if (!value) return [];
        const { content, reactions = [] } = value.body as unknown as {
          content: string;
          reactions?: readonly { user: number }[];
        };
        return [{ id: value.id, content, reactions }];
      },
    );
    return {
      users: startState.users.map(({ id }) => id),
      streams: startState.streams,
      log: cluster.log
        .entriesOfRealm(startState.realm)
        .map(({ seq, value }) => ({ seq, entry: value as unknown as LogEntry })),
      calls: this.calls,
      queues: this.queues,
      mails: this.#missedMails(),
      messages,
      isGraceful: this.#isGraceful,
      now: cluster.clock.now(),
    };
  }
}
