/**
 * The load of a run: writes at a steady rate, however slowly earlier ones are answered. For each twenty sends there are
 * one edit and one reaction.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Random } from '../cluster/scheduler.js';
import { type Frontends, NoFrontendError, type Request } from './frontends.js';
import type { ClientWrite, Outcome, WriteKind } from './history.js';
import { EMOJI, edited, editKey, reactionKey, sendKey, text } from './message-texts.js';
import type { Conversation, Person } from './people.js';

const TICK_MS = 10;
const SENDS_PER_CHANGE = 20;
/** Share of direct messages among the sends, from 0 to 1. */
const DIRECT_SHARE = 0.1;
/** Time for which a client waits for an answer, ms; the server's own deadline is shorter. */
const ANSWER_TIMEOUT_MS = 45_000;
/**
 * Maximum number of requests without an answer, which is enough for seconds in which no process answers. Writes above
 * it are skipped and counted.
 */
const MAX_PENDING_REQUESTS = 5_000;

interface AcknowledgedSend {
  readonly id: number;
  readonly key: string;
  readonly sender: Person;
  readonly conversation: Conversation;
  edited: boolean;
  reacted: boolean;
}

type Asked = Omit<Request, 'first' | 'timeoutMs'>;

export class Load {
  readonly writes: ClientWrite[] = [];
  /** Number of sends that were skipped because `MAX_PENDING_REQUESTS` had no answer. */
  skippedSends = 0;
  underWay = 0;
  acknowledged = 0;
  /** Time of the slowest answer, ms. */
  slowest = 0;
  readonly #said: AcknowledgedSend[] = [];
  #next = 0;
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

  /** Ends the load, and waits for the answers to all requests. */
  async stop(): Promise<void> {
    this.#running = false;
    await this.#done;
    await Promise.all(this.#pending);
  }

  /** Sends one more message. @returns its key @throws Error if the send is not acknowledged */
  async last(conversation: Conversation): Promise<string> {
    const write = await this.#send(conversation, conversation.members[0]!);
    if (write.outcome?.kind !== 'acknowledged') throw new Error(`${write.key}: ${JSON.stringify(write.outcome)}`);
    return write.key;
  }

  async #run(): Promise<void> {
    const begun = performance.now();
    let sent = 0;
    while (this.#running) {
      const due = ((performance.now() - begun) / 1000) * this.rate;
      for (; sent < due; sent++) this.#one(sent);
      await sleep(TICK_MS);
    }
  }

  #one(n: number): void {
    if (this.underWay >= MAX_PENDING_REQUESTS) {
      this.skippedSends++;
      return;
    }
    const { random } = this;
    const among = this.direct.length > 0 && random.chance(DIRECT_SHARE) ? this.direct : this.streams;
    const conversation = random.pick(among);
    this.#keep(this.#send(conversation, random.pick(conversation.members)));
    if (n % SENDS_PER_CHANGE === SENDS_PER_CHANGE - 1) {
      this.#keep(this.#edit());
      this.#keep(this.#react());
    }
  }

  #keep(write: Promise<unknown>): void {
    this.#pending.add(write);
    void write.finally(() => this.#pending.delete(write));
  }

  async #send(conversation: Conversation, sender: Person): Promise<ClientWrite> {
    const key = sendKey(this.#next++);
    const write = this.#startRun('send', key, conversation);
    const form = { ...conversation.to, content: text(key) };
    await this.#ask(write, { method: 'POST', path: '/messages', authorization: sender.authorization, form });
    if (write.outcome?.kind === 'acknowledged') {
      this.#said.push({ id: write.message!, key, sender, conversation, edited: false, reacted: false });
    }
    return write;
  }

  /** Picks one of the newest 100 acknowledged sends; undefined if it was picked for this kind of change before. */
  #lately(done: 'edited' | 'reacted'): AcknowledgedSend | undefined {
    const from = Math.max(0, this.#said.length - 100);
    const said = this.#said[from + this.random.below(this.#said.length - from)];
    if (!said || said[done]) return undefined;
    said[done] = true;
    return said;
  }

  async #edit(): Promise<void> {
    const said = this.#lately('edited');
    if (!said) return;
    const key = editKey(this.#next++);
    const write = this.#startRun('edit', key, said.conversation, said.id);
    const form = { content: edited(said.key, key) };
    const { authorization } = said.sender;
    await this.#ask(write, { method: 'PATCH', path: `/messages/${said.id}`, authorization, form });
  }

  async #react(): Promise<void> {
    const said = this.#lately('reacted');
    if (!said) return;
    const { id, authorization } = this.random.pick(said.conversation.members);
    const write = this.#startRun('reaction', reactionKey(said.id, id), said.conversation, said.id);
    const form = { emoji_name: EMOJI };
    await this.#ask(write, { method: 'POST', path: `/messages/${said.id}/reactions`, authorization, form });
  }

  #startRun(kind: WriteKind, key: string, { name }: Conversation, message?: number): ClientWrite {
    const write: ClientWrite = { kind, key, conversation: name, message, begun: performance.now(), outcome: undefined };
    this.writes.push(write);
    return write;
  }

  async #ask(write: ClientWrite, request: Asked): Promise<void> {
    this.underWay++;
    try {
      const answer = await this.frontends.ask({
        ...request,
        timeoutMs: ANSWER_TIMEOUT_MS,
        first: this.random.below(1_000),
      });
      const at = performance.now();
      this.slowest = Math.max(this.slowest, at - write.begun);
      if (answer.body.result === 'success') {
        if (write.kind === 'send') write.message = answer.body.id as number;
        write.outcome = { kind: 'acknowledged', at };
        this.acknowledged++;
      } else {
        write.outcome = {
          kind: 'refused',
          at,
          status: answer.status,
          code: String(answer.body.code ?? answer.body.msg),
        };
      }
    } catch (error) {
      write.outcome = unanswered(error as Error);
    } finally {
      this.underWay--;
    }
  }
}

const unanswered = (error: Error): Outcome => ({
  kind: 'unanswered',
  at: performance.now(),
  reason: error instanceof NoFrontendError ? error.message : error.message.replace(/\d+/g, 'n'),
});
