/** Client with one event queue: polls, acknowledges events, and polls another frontend after a failed request. */
import { setTimeout as sleep } from 'node:timers/promises';
import { LAST_RESERVED_USER_ID } from '#domain/people';
import type { Random } from '../cluster/scheduler.js';
import { type Frontends, NoFrontendError } from './frontends.js';
import type { Poll, QueueHistory } from './history.js';
import { parseEvent } from './message-texts.js';
import { directName, type Person, requestOrThrow } from './people.js';

/** Timeout of a poll, longer than the server holds a poll without an event. */
const MAX_POLL_MS = 90_000;
const RETRY_MS = 100;
/** Share of poll responses that a client drops, to simulate their loss. */
const DROPPED_RESPONSE_RATE = 0.005;
const TYPES = JSON.stringify(['message', 'update_message', 'reaction']);

export class Poller implements QueueHistory {
  readonly polls: Poll[] = [];
  readonly ended: number[] = [];
  readonly stuck: number[] = [];
  /** Reason of a failed poll → number of such polls. */
  readonly failures = new Map<string, number>();
  readonly keys = new Set<string>();
  #running = true;
  #preferredFrontend: number;
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
    this.#preferredFrontend = random.below(1_000);
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
    const form = { event_types: TYPES, apply_markdown: 'false' };
    const { queue_id, last_event_id } = await requestOrThrow(caller, 'POST', '/register', form);
    const name = `queue of ${person.email}`;
    // System bots may send direct messages to every user.
    const bots = Array.from({ length: LAST_RESERVED_USER_ID }, (_, i) => directName([i + 1, person.id]));
    const mine = new Set([...conversations, ...bots]);
    return new Poller(name, person, mine, frontends, random, queue_id as string, last_event_id as number);
  }

  /** Stops polling. A poll in flight is not awaited, and its response is not recorded. */
  stop(): void {
    this.#running = false;
    void this.#done;
  }

  async #run(): Promise<void> {
    while (this.#running) {
      const startedAt = performance.now();
      try {
        const { status, body } = await this.frontends.request({
          method: 'GET',
          path: `/events?queue_id=${this.queue}&last_event_id=${this.last}`,
          authorization: this.person.authorization,
          timeoutMs: MAX_POLL_MS,
          preferredFrontend: this.#preferredFrontend,
        });
        if (!this.#running) return;
        if (body.result === 'success') {
          this.#processEvents(body.events as readonly Readonly<Record<string, unknown>>[]);
          continue;
        }
        this.#countFailure(`${status} ${body.code ?? 'without a code'}`);
        if (body.code === 'BAD_EVENT_QUEUE_ID') {
          this.ended.push(performance.now());
          return;
        }
      } catch (error) {
        if (!this.#running) return;
        if (performance.now() - startedAt >= MAX_POLL_MS) this.stuck.push(startedAt);
        this.#countFailure(error instanceof NoFrontendError ? error.message : 'connection cut');
        this.#preferredFrontend++;
      }
      await sleep(RETRY_MS);
    }
  }

  #processEvents(events: readonly Readonly<Record<string, unknown>>[]): void {
    const processed = !this.random.chance(DROPPED_RESPONSE_RATE);
    const given = events.map(parseEvent);
    this.polls.push({ after: this.last, at: performance.now(), events: given, processed });
    if (!processed) return;
    for (const { id, key } of given) {
      this.last = Math.max(this.last, id);
      if (key !== undefined) this.keys.add(key);
    }
  }

  #countFailure(reason: string): void {
    this.failures.set(reason, (this.failures.get(reason) ?? 0) + 1);
  }
}
