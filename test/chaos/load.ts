/**
 * Open-loop load: sends at a constant rate, independent of responses, and an edit and a reaction for every twenty
 * sends.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../cluster/scheduler.js';
import { type ApiRequest, type Frontends, NoFrontendError } from './frontends.js';
import type { Outcome, Write, WriteKind } from './history.js';
import { EMOJI, edited, editKey, reactionKey, sendKey, text } from './message-texts.js';
import type { Conversation, Person } from './people.js';

const TICK_MS = 10;
const CHANGE_EVERY = 20;
/** Share of direct messages among the sends. */
const DIRECT_SHARE = 0.1;
/** Time that a client waits for a response, ms; the server's deadline is shorter. */
const RESPONSE_TIMEOUT_MS = 45_000;
/**
 * Limit of the requests in flight, which 200 sends per second reach after 25 s without a response. Sends above the
 * limit are skipped and counted.
 */
const MAX_REQUESTS_IN_FLIGHT = 5_000;

interface SentMessage {
  readonly id: number;
  readonly key: string;
  readonly sender: Person;
  readonly conversation: Conversation;
  edited: boolean;
  reacted: boolean;
}

type WriteRequest = Omit<ApiRequest, 'preferredFrontend' | 'timeoutMs'>;

export class Load {
  readonly writes: Write[] = [];
  /** Number of sends that were skipped at the limit of requests in flight. */
  skipped = 0;
  inFlight = 0;
  acknowledged = 0;
  /** Longest response time, ms. */
  slowest = 0;
  readonly #sentMessages: SentMessage[] = [];
  #nextKey = 0;
  #running = true;
  #done: Promise<void> = Promise.resolve();
  readonly #pending = new Set<Promise<unknown>>();

  constructor(
    private readonly frontends: Frontends,
    private readonly streams: readonly Conversation[],
    private readonly direct: readonly Conversation[],
    private readonly random: Random,
    /** Sends per second. */
    private readonly rate: number,
  ) {}

  start(): void {
    this.#done = this.#run();
  }

  /** Stops the load, and waits until no request is in flight. */
  async stop(): Promise<void> {
    this.#running = false;
    await this.#done;
    await Promise.all(this.#pending);
  }

  /** Sends a message after the load. @returns key of the send @throws Error when the send is not acknowledged */
  async sendFinal(conversation: Conversation): Promise<string> {
    const write = await this.#send(conversation, conversation.members[0]!);
    if (write.outcome?.kind !== 'acknowledged') throw new Error(`${write.key}: ${JSON.stringify(write.outcome)}`);
    return write.key;
  }

  async #run(): Promise<void> {
    const startedAt = performance.now();
    let sent = 0;
    while (this.#running) {
      const due = ((performance.now() - startedAt) / 1000) * this.rate;
      for (; sent < due; sent++) this.#issue(sent);
      await sleep(TICK_MS);
    }
  }

  #issue(n: number): void {
    if (this.inFlight >= MAX_REQUESTS_IN_FLIGHT) {
      this.skipped++;
      return;
    }
    const { random } = this;
    const among = this.direct.length > 0 && random.chance(DIRECT_SHARE) ? this.direct : this.streams;
    const conversation = random.pick(among);
    this.#track(this.#send(conversation, random.pick(conversation.members)));
    if (n % CHANGE_EVERY === CHANGE_EVERY - 1) {
      this.#track(this.#edit());
      this.#track(this.#react());
    }
  }

  #track(write: Promise<unknown>): void {
    this.#pending.add(write);
    void write.finally(() => this.#pending.delete(write));
  }

  async #send(conversation: Conversation, sender: Person): Promise<Write> {
    const key = sendKey(this.#nextKey++);
    const write = this.#startWrite('send', key, conversation);
    const form = { ...conversation.to, content: text(key) };
    await this.#perform(write, { method: 'POST', path: '/messages', authorization: sender.authorization, form });
    if (write.outcome?.kind === 'acknowledged') {
      this.#sentMessages.push({ id: write.message!, key, sender, conversation, edited: false, reacted: false });
    }
    return write;
  }

  /** @returns one of the last 100 acknowledged messages, each at most once per kind of change */
  #pickRecent(done: 'edited' | 'reacted'): SentMessage | undefined {
    const from = Math.max(0, this.#sentMessages.length - 100);
    const message = this.#sentMessages[from + this.random.below(this.#sentMessages.length - from)];
    if (!message || message[done]) return undefined;
    message[done] = true;
    return message;
  }

  async #edit(): Promise<void> {
    const message = this.#pickRecent('edited');
    if (!message) return;
    const key = editKey(this.#nextKey++);
    const write = this.#startWrite('edit', key, message.conversation, message.id);
    const form = { content: edited(message.key, key) };
    const { authorization } = message.sender;
    await this.#perform(write, { method: 'PATCH', path: `/messages/${message.id}`, authorization, form });
  }

  async #react(): Promise<void> {
    const message = this.#pickRecent('reacted');
    if (!message) return;
    const { id, authorization } = this.random.pick(message.conversation.members);
    const write = this.#startWrite('reaction', reactionKey(message.id, id), message.conversation, message.id);
    const form = { emoji_name: EMOJI };
    await this.#perform(write, { method: 'POST', path: `/messages/${message.id}/reactions`, authorization, form });
  }

  #startWrite(kind: WriteKind, key: string, { name }: Conversation, message?: number): Write {
    const write: Write = { kind, key, conversation: name, message, startedAt: performance.now(), outcome: undefined };
    this.writes.push(write);
    return write;
  }

  async #perform(write: Write, request: WriteRequest): Promise<void> {
    this.inFlight++;
    try {
      const response = await this.frontends.request({
        ...request,
        timeoutMs: RESPONSE_TIMEOUT_MS,
        preferredFrontend: this.random.below(1_000),
      });
      const at = performance.now();
      this.slowest = Math.max(this.slowest, at - write.startedAt);
      if (response.body.result === 'success') {
        if (write.kind === 'send') write.message = response.body.id as number;
        write.outcome = { kind: 'acknowledged', at };
        this.acknowledged++;
      } else {
        write.outcome = {
          kind: 'refused',
          at,
          status: response.status,
          code: String(response.body.code ?? response.body.msg),
        };
      }
    } catch (error) {
      write.outcome = unanswered(error as Error);
    } finally {
      this.inFlight--;
    }
  }
}

const unanswered = (error: Error): Outcome => ({
  kind: 'unanswered',
  at: performance.now(),
  reason: error instanceof NoFrontendError ? error.message : error.message.replace(/\d+/g, 'n'),
});
