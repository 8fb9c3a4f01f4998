/** One simulated client: registers, always holds a poll, and does what the mix says. */

import type { Random } from '../cluster/scheduler.js';
import { type Peer, requestText } from '../support/http-connection.js';
import { now } from './clock.js';
import type { Entry } from './mix.js';
import { PollLine } from './poll-line.js';
import { type Outcome, TIMEOUT } from './pool.js';
import type { Operation } from './protocol.js';
import { exponential, randomOf, Schedule } from './schedule.js';
import { tokenIn } from './tokens.js';
import type { World } from './world.js';

export interface Seen {
  readonly id: number;
}

export type Fields = Readonly<Record<string, unknown>>;

/** A parameter as the API takes it: texts as they are, the rest as JSON. */
export function formText(fields: Fields): string {
  const text = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined) text.set(name, typeof value === 'string' ? value : JSON.stringify(value));
  }
  return text.toString();
}

/** Before a client without queue tries again; doubled up to the second. */
const RETRY_MS = [250, 8_000] as const;

type Phase = 'new' | 'starting' | 'live' | 'stopped';

export class Client {
  phase: Phase = 'new';
  queue = '';
  /** Id of the last event that it has. */
  last = -1;
  readonly random: Random;
  readonly user: number;
  /** Other devices of the same person follow, but do nothing. */
  readonly active: boolean;
  /** Messages that wait to be marked as read. */
  unread: number[] = [];
  readonly drafts: number[] = [];
  draftBusy = false;
  /** Messages sent under tokens of its own. */
  messages = 0;
  readonly headers: string;
  #poll: PollLine;
  #schedule: Schedule | undefined;
  #begun = 0;
  #retryMs: number = RETRY_MS[0];

  constructor(
    readonly world: World,
    readonly index: number,
  ) {
    const { setup } = world;
    this.user = Math.floor(index / setup.devices);
    this.active = index % setup.devices === 0;
    this.random = randomOf(setup.seed, index);
    const { email, key } = world.accounts[this.user]!;
    const authorization = `Basic ${Buffer.from(`${email}:${key}`).toString('base64')}`;
    this.headers = `Host: ${setup.authority}\r\nUser-Agent: ${setup.mix.client}\r\nAuthorization: ${authorization}\r\n`;
    this.#poll = new PollLine(this);
  }

  /** The frontend that holds its polls. */
  get peer(): Peer {
    const { peers } = this.world.setup;
    return peers[this.index % peers.length]!;
  }

  get held(): boolean {
    return this.#poll.held;
  }

  /** @param at when it was to begin */
  start(at: number): void {
    if (this.phase !== 'new') return;
    this.phase = 'starting';
    this.register(at);
  }

  /** A page is loaded, or the queue was lost. */
  register(at: number): void {
    const asked = now();
    this.call(
      'POST /register',
      'POST',
      '/register',
      this.world.setup.mix.register,
      at,
      ({ status, body, retryAfter }) => {
        if (this.phase === 'stopped') return;
        const queue = status === 200 ? textIn(body, '"queue_id":"') : undefined;
        if (queue === undefined) {
          const wait = Math.max((retryAfter ?? 0) * 1_000, this.#retryMs * (0.5 + this.random.next()));
          this.#retryMs = Math.min(RETRY_MS[1], this.#retryMs * 2);
          setTimeout(() => {
            if (this.phase !== 'stopped') this.register(now());
          }, wait);
          return;
        }
        this.#retryMs = RETRY_MS[0];
        this.queue = queue;
        this.last = Number(textIn(body, '"last_event_id":') ?? -1);
        this.phase = 'live';
        this.world.recorder.moved({ client: this.index, asked, since: now() });
        this.#poll.ask();
        this.#history();
        if (this.active && !this.#schedule) this.#begin();
      },
    );
  }

  /** Drops the queue; what is under way ends by itself. */
  stop(): void {
    const was = this.phase;
    this.phase = 'stopped';
    this.#poll.close();
    if (was !== 'live') return;
    this.world.recorder.moved({ client: this.index, at: now() });
    this.call('DELETE /events', 'DELETE', '/events', { queue_id: this.queue }, now(), () => {});
  }

  /** Reloads the page: the old queue is dropped. */
  reload(at: number): void {
    if (this.phase !== 'live') return;
    const { queue } = this;
    this.#lose();
    this.call('DELETE /events', 'DELETE', '/events', { queue_id: queue }, at, () => {});
    this.register(at);
  }

  /** The server doesn't know the queue any more. */
  lostQueue(): void {
    if (this.phase !== 'live') return;
    this.world.recorder.lostQueues++;
    this.#lose();
    this.register(now());
  }

  /** One call of the API. Errors are counted here; `done` hears of success only by its status. */
  call(
    operation: Operation,
    method: string,
    path: string,
    fields: Fields,
    intended: number,
    done: (outcome: Outcome) => void,
  ): void {
    const { world } = this;
    const form = formText(fields);
    const inQuery = method === 'GET';
    const to = `${world.setup.path}/api/v1${path}${inQuery && form !== '' ? `?${form}` : ''}`;
    const text = requestText(method, to, this.headers, inQuery ? undefined : form);
    const written = now();
    world.recorder.requests++;
    world.pool.call(text, (outcome) => {
      // A connection that is refused at once is no fast answer.
      if (outcome.error === undefined || outcome.error === TIMEOUT) {
        world.recorder.answered(operation, intended, written, now());
      }
      if (outcome.status !== 200) world.refused(operation, outcome);
      done(outcome);
    });
  }

  /** Events of a poll, in order. */
  received(events: readonly Fields[], at: number): void {
    const { recorder, setup } = this.world;
    for (const event of events) {
      const id = event.id as number;
      if (id <= this.last) continue;
      this.last = id;
      recorder.events++;
      if (event.type !== 'message') continue;
      const message = event.message as { readonly id: number; readonly content: string; readonly sender_id: number };
      const token = tokenIn(message.content, setup.run);
      if (!token) continue;
      recorder.delivered(token.token, token.at, at);
      if (this.active && message.sender_id !== this.world.accounts[this.user]!.id) this.#react(message, at);
    }
  }

  /** Starts the action that may follow a message, own or of others, with the chance of the mix. */
  follow(entry: Entry, chance: number, seen: Seen, at: number): void {
    if (this.random.next() >= chance) return;
    if (entry.action === 'mark_read') {
      this.unread.push(seen.id);
      // One request for all that comes until then.
      if (this.unread.length > 1) return;
    }
    this.world.add(at + exponential(this.random, (entry.afterSeconds ?? 0) * 1_000), { client: this, entry, seen });
  }

  /** The next thing that it does of its own accord. */
  plan(): void {
    const next = this.#schedule?.next();
    if (next) this.world.add(this.#begun + next.at, { client: this, entry: next.entry, planned: true });
  }

  #begin(): void {
    this.#schedule = new Schedule(this.random, this.world.setup.mix);
    this.#begun = now();
    this.plan();
  }

  #react(message: Seen, at: number): void {
    for (const entry of this.world.onReceived) this.follow(entry, entry.perReceived!, message, at);
  }

  #lose(): void {
    this.world.recorder.moved({ client: this.index, at: now() });
    this.phase = 'starting';
    this.#poll.forget();
  }

  #history(): void {
    const { history } = this.world.setup.mix;
    if (history === 0) return;
    const half = Math.ceil(history / 2);
    const range = { anchor: 'first_unread', num_before: half, num_after: history - half, client_gravatar: true };
    this.call('GET /messages (start)', 'GET', '/messages', range, now(), () => {});
  }
}

/**
 * The value after a key of the whole answer, without reading megabytes of JSON. A key's quotes never stand in a text
 * unescaped.
 */
function textIn(body: Buffer, key: string): string | undefined {
  const at = body.indexOf(key);
  if (at < 0) return undefined;
  const start = at + key.length;
  let end = start;
  // Ids of queues have no quotes, numbers end at a comma or brace.
  while (end < body.length && !'",}'.includes(String.fromCharCode(body[end]!))) end++;
  return body.toString('utf8', start, end).trim();
}
