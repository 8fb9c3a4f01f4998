/** State that the clients of one worker share. */

import { perform } from './actions.js';
import { Agenda } from './agenda.js';
import { Client, type SeenMessage } from './client.js';
import { now } from './clock.js';
import type { MixEntry } from './mix.js';
import { type CallOutcome, Pool } from './pool.js';
import { colleaguesOf, membersOf, type Shape, streamsOf } from './population.js';
import type { Account, Operation, Setup, StreamInfo } from './protocol.js';
import { Recorder } from './recorder.js';

/** Task on the agenda: an action of the mix, or a function such as the send after the time of writing. */
export interface Task {
  readonly client: Client;
  readonly entry?: MixEntry;
  readonly seen?: SeenMessage;
  /** Whether the task comes from the client's schedule; when it runs, the schedule adds its next task. */
  readonly isPlanned?: boolean;
  readonly run?: (at: number) => void;
}

/** Longest timer, ms: the agenda is checked at least once in this time. */
const MAX_TIMER_MS = 1_000;

export class WorkerState {
  readonly accounts: Account[] = [];
  streams: readonly StreamInfo[] = [];
  shape!: Shape;
  readonly pool: Pool;
  readonly recorder: Recorder;
  readonly onReceived: readonly MixEntry[];
  readonly onSent: readonly MixEntry[];
  readonly clients = new Map<number, Client>();
  readonly #agenda = new Agenda<Task>();
  /** Indices of the streams of each user. */
  #streamsOf = new Map<number, number[]>();
  /** Indices of the members of each stream. */
  #members: number[][] = [];
  #timer: NodeJS.Timeout | undefined;
  #timerAt = Number.POSITIVE_INFINITY;
  #actionsStopped = false;

  constructor(readonly setup: Setup) {
    this.pool = new Pool(setup.peers, setup.connections, setup.timeoutMs);
    this.recorder = new Recorder(setup.worker);
    this.onReceived = setup.mix.actions.filter(({ perReceived }) => perReceived !== undefined);
    this.onSent = setup.mix.actions.filter(({ perSent }) => perSent !== undefined);
  }

  setPopulation(from: number, accounts: readonly Account[], streams: readonly StreamInfo[], shape: Shape): void {
    this.accounts.length = from;
    for (const account of accounts) this.accounts.push(account);
    this.streams = streams;
    this.shape = shape;
    this.#streamsOf = new Map();
    this.#members = Array.from({ length: streamsOf(shape) }, (_, stream) => membersOf(shape, stream));
    this.#members.forEach((members, stream) => {
      for (const user of members) {
        const of = this.#streamsOf.get(user);
        if (of) of.push(stream);
        else this.#streamsOf.set(user, [stream]);
      }
    });
  }

  /** Sets the number of clients of all workers: new clients start evenly over `ms`, surplus clients stop at once. */
  setClients(count: number, from: number, at: number, ms: number): void {
    const { worker, workers } = this.setup;
    for (const [index, client] of this.clients) {
      if (index < count) continue;
      client.stop();
      this.clients.delete(index);
    }
    for (let index = worker; index < count; index += workers) {
      if (this.clients.has(index)) continue;
      const client = new Client(this, index);
      this.clients.set(index, client);
      const start = at + (count > from ? (ms * Math.max(0, index - from)) / (count - from) : 0);
      this.addTask(start, { client, run: (intended) => client.start(intended) });
    }
  }

  stopActions(): void {
    this.#actionsStopped = true;
    this.#agenda.clear();
  }

  addTask(at: number, task: Task): void {
    if (this.#actionsStopped) return;
    this.#agenda.add(at, task);
    if (at < this.#timerAt) this.#setTimer();
  }

  /** @returns the indices of the streams of a user */
  streamsOfUser(user: number): readonly number[] {
    return this.#streamsOf.get(user) ?? [];
  }

  membersOfStream(stream: number): readonly number[] {
    return this.#members[stream] ?? [];
  }

  colleagues(user: number): { readonly from: number; readonly count: number } {
    return colleaguesOf(this.shape, user);
  }

  /** Counts an unsuccessful outcome. @returns HTTP status and error code of the API, or the transport error */
  recordError(operation: Operation, { status, body, error }: CallOutcome): string {
    let code = error ?? String(status);
    let sample = error ?? '';
    if (error === undefined) {
      const text = body.toString();
      sample = text;
      try {
        const response = JSON.parse(text) as { readonly code?: unknown; readonly msg?: unknown };
        code = `${status} ${String(response.code ?? '')}`.trim();
        sample = String(response.msg ?? text);
      } catch {
        // A response that is not JSON comes from a proxy; its status is the code.
      }
    }
    if (status === 429) this.recorder.countRateLimited();
    this.recorder.recordError(operation, code, sample);
    return code;
  }

  get currentCounts(): { clients: number; held: number; inFlight: number } {
    let [clients, held] = [0, 0];
    for (const client of this.clients.values()) {
      if (client.phase === 'live') clients++;
      if (client.isPolling) held++;
    }
    return { clients, held, inFlight: this.pool.inFlight };
  }

  #setTimer(): void {
    clearTimeout(this.#timer);
    const at = this.#agenda.next;
    this.#timerAt = at ?? Number.POSITIVE_INFINITY;
    if (at === undefined) return;
    this.#timer = setTimeout(() => this.#runDueTasks(), Math.min(MAX_TIMER_MS, Math.max(0, at - now())));
  }

  #runDueTasks(): void {
    for (;;) {
      const at = now();
      const due = this.#agenda.take(at);
      if (!due) break;
      this.recorder.recordLag(at - due.at);
      const { client, entry, seen, isPlanned, run } = due.item;
      if (client.phase === 'stopped') continue;
      if (isPlanned) client.planNext();
      if (run) run(due.at);
      else if (entry) perform(client, entry, seen, due.at);
    }
    this.#setTimer();
  }
}
