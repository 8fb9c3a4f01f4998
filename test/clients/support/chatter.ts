/** Sender and queue follower that continue through failures and record acknowledged sends and received events. */
import { setTimeout as sleep } from 'node:timers/promises';
import { rounds } from '../../support/rounds.js';
import { type Api, type QueueEvent, RefusedError } from './api.js';
import { HANG_TIMEOUT_MS, until } from './wait.js';

const RETRY_MS = 25;
/** Pause between sends. The short run sends less, so that servers that start meanwhile get the CPU. */
const PAUSE_MS = rounds(40, 5);

/** Sends numbered messages from several lanes; no message is sent twice. */
export class Sender {
  /** Message id by content. */
  readonly acknowledged = new Map<string, number>();
  readonly failed: { content: string; error: unknown }[] = [];
  inFlight = 0;
  #next = 0;
  #running = true;
  readonly #done: Promise<unknown>;

  constructor(
    private readonly apis: readonly Api[],
    private readonly stream: string,
    private readonly prefix: string,
    private readonly timeoutMs = HANG_TIMEOUT_MS,
    lanes = 2,
  ) {
    this.#done = Promise.all(Array.from({ length: lanes }, (_, lane) => this.#run(lane)));
  }

  async stop(): Promise<void> {
    this.#running = false;
    await this.#done;
  }

  async #run(lane: number): Promise<void> {
    for (let at = lane; this.#running; ) {
      const content = `${this.prefix}-${this.#next++}`;
      let pauseMs = PAUSE_MS;
      this.inFlight++;
      try {
        const api = this.apis[at % this.apis.length]!;
        this.acknowledged.set(content, await api.send(this.stream, content, this.timeoutMs));
      } catch (error) {
        this.failed.push({ content, error });
        // Use the next server, if there are several.
        at++;
        pauseMs = RETRY_MS;
      }
      this.inFlight--;
      await sleep(pauseMs);
    }
  }
}

/** Polls one event queue as a client does: acknowledges received events and retries after every failure. */
export class Follower {
  readonly events: QueueEvent[] = [];
  readonly errors: unknown[] = [];
  readonly #counts = new Map<string, number>();
  last: number;
  #running = true;
  #api = 0;
  #done: Promise<void>;

  private constructor(
    private readonly apis: readonly Api[],
    readonly queue: string,
    last: number,
  ) {
    this.last = last;
    this.#done = this.#run();
  }

  static async start(apis: readonly Api[], types?: readonly string[]): Promise<Follower> {
    const { queue_id, last_event_id } = await apis[0]!.register(types);
    return new Follower(apis, queue_id, last_event_id);
  }

  /** Number of deliveries by message content. */
  contents(): ReadonlyMap<string, number> {
    return this.#counts;
  }

  async has(contents: Iterable<string>, withinMs = HANG_TIMEOUT_MS): Promise<void> {
    const wanted = [...contents];
    let missing: string[] = [];
    await until(
      'every acknowledged message arrives in the queue',
      () => {
        const had = this.contents();
        missing = wanted.filter((content) => !had.has(content));
        return missing.length === 0;
      },
      withinMs,
    ).catch((error: Error) => {
      throw new Error(`${error.message}: ${missing.length} missing of ${wanted.length}, first ${missing[0]}`);
    });
  }

  /** Stops polling without waiting for the last poll's response. */
  stop(): void {
    this.#running = false;
    void this.#done;
  }

  async #run(): Promise<void> {
    while (this.#running) {
      try {
        const events = await this.apis[this.#api % this.apis.length]!.events(this.queue, this.last);
        if (!this.#running) return;
        for (const event of events) {
          this.events.push(event);
          if (event.message) {
            const content = plain(event.message.content);
            this.#counts.set(content, (this.#counts.get(content) ?? 0) + 1);
          }
          this.last = Math.max(this.last, event.id);
        }
      } catch (error) {
        this.errors.push(error);
        if (error instanceof RefusedError && error.answer.status === 400) this.#running = false;
        this.#api++;
        await sleep(RETRY_MS);
      }
    }
  }
}

const plain = (content: string): string => content.replace(/<[^>]*>/g, '');

/** Descriptions of event faults: ids that don't grow, messages delivered twice, a refused queue. */
export function findEventFaults(follower: Follower): string[] {
  const faults: string[] = [];
  let before = -1;
  for (const { id } of follower.events) {
    if (id <= before) faults.push(`event ${id} after ${before}`);
    before = id;
  }
  for (const [content, count] of follower.contents()) if (count > 1) faults.push(`${content} came ${count} times`);
  for (const error of follower.errors) {
    if (error instanceof RefusedError && error.answer.status === 400)
      faults.push(`the queue was refused: ${error.message}`);
  }
  return faults;
}

/**
 * Descriptions of history faults: acknowledged messages not found exactly once, and other messages found repeatedly.
 */
export function findHistoryFaults(history: readonly { content: string; id: number }[], sender: Sender): string[] {
  const faults: string[] = [];
  const found = new Map<string, number[]>();
  for (const { content, id } of history) found.set(content, [...(found.get(content) ?? []), id]);
  for (const [content, id] of sender.acknowledged) {
    const ids = found.get(content) ?? [];
    if (ids.length !== 1 || ids[0] !== id) faults.push(`${content} (${id}) is in the history as [${ids.join(', ')}]`);
  }
  for (const [content, ids] of found)
    if (ids.length > 1) faults.push(`${content} is in the history ${ids.length} times`);
  return faults;
}

/** Whether the error is a proper API error with status 503, which a server returns while a service is unavailable. */
export const isUnavailableError = (error: unknown): boolean =>
  error instanceof RefusedError && error.answer.status === 503 && error.answer.body.result === 'error';

/** Stops the traffic; safe for teardown after a failure. */
export async function stopTraffic(sender: Sender, follower: Follower): Promise<void> {
  follower.stop();
  await sender.stop();
}
