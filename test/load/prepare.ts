/**
 * Accounts and streams of a run, made over the public API; those of an earlier run with the same prefix serve again.
 */
import { createHash, createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { requestText } from '../support/http-connection.js';
import { type Fields, formText } from './client.js';
import type { LoadOptions } from './options.js';
import { Pool } from './pool.js';
import { membersOf, type Shape, streamsOf } from './population.js';
import type { Account, StreamFacts } from './protocol.js';
import type { Target } from './target.js';

/** Passwords are hashed by a costly function, once per account made and once per login. */
const AT_ONCE = 8;
const PRINCIPALS_AT_ONCE = 500;
/** Rate limits let through as much as they may within this. */
const MOST_WAITS = 60;
const TIMEOUT_MS = 120_000;

interface User {
  readonly user_id: number;
  readonly email: string;
  readonly delivery_email?: string | null;
  readonly is_active?: boolean;
}

/** A promise that is rejected when the signal comes; `cancel` lets go of the signal. */
function abortOf(signal: AbortSignal): { readonly promise: Promise<never>; cancel(): void } {
  let stop = (): void => {};
  const promise = new Promise<never>((_, reject) => {
    stop = () => reject(new Error('interrupted'));
    signal.addEventListener('abort', stop, { once: true });
  });
  return { promise, cancel: () => signal.removeEventListener('abort', stop) };
}

export class Preparation {
  readonly #pool: Pool;
  readonly accounts: Account[] = [];
  streams: StreamFacts[] = [];
  #known: Map<string, User> | undefined;
  readonly #stopping = new AbortController();
  /** Whether it waits, or has waited, for the server's rate limits. */
  isLimited = false;

  constructor(
    private readonly target: Target,
    private readonly options: LoadOptions,
    private readonly say: (text: string) => void,
  ) {
    this.#pool = new Pool(target.peers, AT_ONCE, TIMEOUT_MS);
  }

  /** As many accounts as the shape has users, and their streams. */
  async grow(shape: Shape): Promise<void> {
    const from = this.accounts.length;
    if (shape.users > from) {
      this.#known ??= await this.#usersNow();
      const begun = performance.now();
      const numbers = Array.from({ length: shape.users - from }, (_, i) => from + i);
      let [done, told] = [0, begun];
      await this.#each(numbers, async (n) => {
        this.accounts[n] = await this.#account(n);
        done++;
        if (performance.now() - told < 5_000) return;
        told = performance.now();
        this.say(`accounts: ${from + done} of ${shape.users}`);
      });
      const seconds = ((performance.now() - begun) / 1_000).toFixed(1);
      this.say(`accounts: ${shape.users} (${numbers.length} prepared in ${seconds} s)`);
    }
    await this.#makeStreams(shape);
  }

  /** Gives up the running preparation, and all later ones. */
  stop(): void {
    this.#stopping.abort();
  }

  close(): void {
    this.#pool.close();
  }

  async #usersNow(): Promise<Map<string, User>> {
    const { members } = (await this.#ask('GET', '/users', {})) as { readonly members: readonly User[] };
    return new Map(
      members.flatMap((user) => [user.email, user.delivery_email ?? user.email].map((email) => [email, user])),
    );
  }

  async #account(n: number): Promise<Account> {
    const { prefix, domain } = this.options;
    const email = `${prefix}-${n + 1}@${domain}`;
    const name = `Load ${prefix} ${n + 1}`;
    // Derived from the owner's key: later runs can log in, others can't. Judging the strength of longer ones is slow.
    const password = createHmac('sha256', this.target.owner).update(prefix).digest('hex').slice(0, 20);
    const known = this.#known?.get(email);
    if (known?.is_active === false) throw new Error(`${email} is deactivated: take another --prefix`);
    if (!known) await this.#ask('POST', '/users', { email, password, full_name: name });
    const { api_key, user_id } = await this.#ask('POST', '/fetch_api_key', { username: email, password }, false).catch(
      (error: Error) => {
        const hint = known ? ' (made with another key of the owner? take another --prefix)' : '';
        throw new Error(`${error.message}${hint}`);
      },
    );
    const id = (user_id as number | undefined) ?? known?.user_id ?? (await this.#idOf(email));
    return { id, email, key: api_key as string, name };
  }

  async #idOf(email: string): Promise<number> {
    const { user } = (await this.#ask('GET', `/users/${encodeURIComponent(email)}`, {})) as { readonly user: User };
    return user.user_id;
  }

  async #makeStreams(shape: Shape): Promise<void> {
    const { seed, perDepartment, smallest, largest, users } = shape;
    // Others of the same name would have other members.
    const kind = createHash('sha256').update([seed, perDepartment, smallest, largest].join()).digest('hex').slice(0, 4);
    const count = streamsOf(shape);
    const names = Array.from({ length: count }, (_, i) => `${this.options.prefix} ${kind} ${i + 1}`);
    await this.#each(
      names.map((name, i) => ({ name, i })),
      async ({ name, i }) => {
        const members = membersOf(shape, i);
        for (let at = 0; at === 0 || at < members.length; at += PRINCIPALS_AT_ONCE) {
          const principals = members.slice(at, at + PRINCIPALS_AT_ONCE).map((user) => this.accounts[user]!.id);
          if (principals.length > 0) {
            await this.#ask('POST', '/users/me/subscriptions', { subscriptions: [{ name }], principals });
          }
        }
      },
    );
    const all = (await this.#ask('GET', '/streams', {})) as {
      readonly streams: readonly { readonly stream_id: number; readonly name: string }[];
    };
    const ids = new Map(all.streams.map(({ name, stream_id }) => [name, stream_id]));
    // Streams without members are not made.
    this.streams = names.map((name) => ({ name, id: ids.get(name) ?? 0 }));
    const seats = names.reduce((sum, _, i) => sum + membersOf(shape, i).length, 0);
    this.say(
      `streams: ${count}, ${(seats / count).toFixed(1)} subscribers each, ${(seats / users).toFixed(1)} streams per user`,
    );
  }

  async #each<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
    const { signal } = this.#stopping;
    let next = 0;
    const lane = async (): Promise<void> => {
      for (let i = next++; i < items.length; i = next++) {
        if (signal.aborted) throw new Error('interrupted');
        await work(items[i]!);
      }
    };
    const { promise, cancel } = abortOf(signal);
    try {
      await Promise.race([Promise.all(Array.from({ length: AT_ONCE }, lane)), promise]);
    } finally {
      cancel();
    }
  }

  /** @throws Error with the answer, unless it is success; rate limits are waited for */
  async #ask(method: string, path: string, fields: Fields, asOwner = true): Promise<Record<string, unknown>> {
    const { authority, path: prefix, owner } = this.target;
    const headers = `Host: ${authority}\r\nUser-Agent: ConclaveLoad/1\r\n${asOwner ? `Authorization: ${owner}\r\n` : ''}`;
    const text = requestText(
      method,
      `${prefix}/api/v1${path}`,
      headers,
      method === 'GET' ? undefined : formText(fields),
    );
    for (let waits = 0; ; waits++) {
      const answer = await new Promise<{ status: number; text: string; wait: number | undefined }>(
        (resolve, reject) => {
          this.#pool.call(text, ({ status, body, error, retryAfter }) => {
            if (error !== undefined) reject(new Error(`${method} ${path}: ${error}`));
            else resolve({ status, text: body.toString(), wait: retryAfter });
          });
        },
      );
      if (answer.status === 200) return JSON.parse(answer.text) as Record<string, unknown>;
      if (answer.status !== 429 || waits === MOST_WAITS || this.#stopping.signal.aborted) {
        throw new Error(`${method} ${path}: ${answer.status} ${answer.text.slice(0, 500)}`);
      }
      if (!this.isLimited) this.say(`the server limits how fast accounts are made: waiting (${RATE_LIMIT_HINT})`);
      this.isLimited = true;
      await sleep(Math.min(120, answer.wait ?? 5) * 1_000 + 50, undefined, { signal: this.#stopping.signal });
    }
  }
}

export const RATE_LIMIT_HINT =
  'for the test start it with RATE_LIMITS=off, or with larger RATE_LIMIT_USER and RATE_LIMIT_ADDRESS: docs/load.md, "Rate limits"';
