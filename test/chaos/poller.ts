/** A client with one event queue for the whole run. After a failure it polls through another frontend. */
import { setTimeout as sleep } from 'node:timers/promises';
import { LAST_RESERVED_USER_ID } from '#domain/people';
import type { Random } from '../cluster/scheduler.js';
import { type Frontends, NoFrontendError } from './frontends.js';
import type { Poll, QueueHistory } from './history.js';
import { received } from './message-texts.js';
import { callOrThrow, directName, type Person } from './people.js';

/** Timeout of a poll, ms: longer than the server holds a poll without an event. */
const MAX_POLL_MS = 90_000;
const RETRY_MS = 100;
/** Share of answers that a client discards as if they had been lost on the network, from 0 to 1. */
const LOST_ANSWER_RATE = 0.005;
const EVENT_TYPES = JSON.stringify(['message', 'update_message', 'reaction']);

export class Poller implements QueueHistory {
  readonly polls: Poll[] = [];
  readonly ended: number[] = [];
  readonly stuck: number[] = [];
  /** Number of failed polls by reason. */
  readonly failures = new Map<string, number>();
  readonly keys = new Set<string>();
  #running = true;
  #first: number;
  #done: Promise<void>;

  private constructor(
    readonly name: string,
    readonly person: Person,
    readonly conversations: ReadonlySet<string>,
    private readonly frontends: Frontends,
    private readonly random: Random,
    private readonly queue: string,
    private last: number,
  ) {
    this.#first = random.below(1_000);
    this.#done = this.#run();
  }

  /** @param level API level of the queue; undefined: the base level */
  static async start(
    person: Person,
    conversations: readonly string[],
    frontends: Frontends,
    random: Random,
    level?: number,
  ): Promise<Poller> {
    const caller = { frontends, authorization: person.authorization, level };
    const form = { event_types: EVENT_TYPES, apply_markdown: 'false' };
    const { queue_id, last_event_id } = await callOrThrow(caller, 'POST', '/register', form);
    const name = `queue of ${person.email}`;
    // System bots may send direct messages to any user.
    const bots = Array.from({ length: LAST_RESERVED_USER_ID }, (_, i) => directName([i + 1, person.id]));
    const mine = new Set([...conversations, ...bots]);
    return new Poller(name, person, mine, frontends, random, queue_id as string, last_event_id as number);
  }

  /** Ends the client. The answer of its open poll is ignored. */
  stop(): void {
    this.#running = false;
    void this.#done;
  }

  async #run(): Promise<void> {
    while (this.#running) {
      const begun = performance.now();
      try {
        const { status, body } = await this.frontends.ask({
          method: 'GET',
          path: `/events?queue_id=${this.queue}&last_event_id=${this.last}`,
          authorization: this.person.authorization,
          timeoutMs: MAX_POLL_MS,
          first: this.#first,
        });
        if (!this.#running) return;
        if (body.result === 'success') {
          this.#take(body.events as readonly Readonly<Record<string, unknown>>[]);
          continue;
        }
        this.#failed(`${status} ${body.code ?? 'without a code'}`);
        if (body.code === 'BAD_EVENT_QUEUE_ID') {
          this.ended.push(performance.now());
          return;
        }
      } catch (error) {
        if (!this.#running) return;
        if (performance.now() - begun >= MAX_POLL_MS) this.stuck.push(begun);
        this.#failed(error instanceof NoFrontendError ? error.message : 'connection cut');
        this.#first++;
      }
      await sleep(RETRY_MS);
    }
  }

  #take(events: readonly Readonly<Record<string, unknown>>[]): void {
    const taken = !this.random.chance(LOST_ANSWER_RATE);
    const given = events.map(received);
    this.polls.push({ after: this.last, at: performance.now(), events: given, taken });
    if (!taken) return;
    for (const { id, key } of given) {
      this.last = Math.max(this.last, id);
      if (key !== undefined) this.keys.add(key);
    }
  }

  #failed(reason: string): void {
    this.failures.set(reason, (this.failures.get(reason) ?? 0) + 1);
  }
}
