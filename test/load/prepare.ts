/** Creates the accounts and streams of a run over the public API, or reuses those of a run with the same prefix. */
import { createHash, createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { requestText } from '../support/http-connection.js';
import { type Fields, formText } from './client.js';
import type { LoadOptions } from './options.js';
import { Pool } from './pool.js';
import { membersOf, type Shape, streamsOf } from './population.js';
import type { Account, StreamInfo } from './protocol.js';
import type { Target } from './target.js';

/** Largest number of parallel calls: the server hashes a password, which is slow, per created account and login. */
const MAX_PARALLEL_CALLS = 8;
const MAX_PRINCIPALS_PER_CALL = 500;
/** Largest number of waits for the rate limit of one call. */
const MAX_RATE_LIMIT_WAITS = 60;
const TIMEOUT_MS = 120_000;

interface User {
  readonly user_id: number;
  readonly email: string;
  readonly delivery_email?: string | null;
  readonly is_active?: boolean;
}

/** @returns a promise that rejects at the signal; `cancel` removes its listener */
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
  streams: StreamInfo[] = [];
  #existingUsers: Map<string, User> | undefined;
  readonly #abortController = new AbortController();
  /** Whether a call has waited for the server's rate limits. */
  isLimited = false;

  constructor(
    private readonly target: Target,
    private readonly options: LoadOptions,
    private readonly print: (text: string) => void,
  ) {
    this.#pool = new Pool(target.peers, MAX_PARALLEL_CALLS, TIMEOUT_MS);
  }

  /** Adds accounts up to the number of users of the shape, and adds the shape's streams. */
  async grow(shape: Shape): Promise<void> {
    const from = this.accounts.length;
    if (shape.users > from) {
      this.#existingUsers ??= await this.#fetchUsers();
      const startMs = performance.now();
      const numbers = Array.from({ length: shape.users - from }, (_, i) => from + i);
      let [done, lastPrintMs] = [0, startMs];
      await this.#runInParallel(numbers, async (n) => {
        this.accounts[n] = await this.#prepareAccount(n);
        done++;
        if (performance.now() - lastPrintMs < 5_000) return;
        lastPrintMs = performance.now();
        this.print(`accounts: ${from + done} of ${shape.users}`);
      });
      const seconds = ((performance.now() - startMs) / 1_000).toFixed(1);
      this.print(`accounts: ${shape.users} (${numbers.length} prepared in ${seconds} s)`);
    }
    await this.#makeStreams(shape);
  }

  /** Aborts the running preparation and all later ones. */
  stop(): void {
    this.#abortController.abort();
  }

  close(): void {
    this.#pool.close();
  }

  async #fetchUsers(): Promise<Map<string, User>> {
    const { members } = (await this.#call('GET', '/users', {})) as { readonly members: readonly User[] };
    return new Map(
      members.flatMap((user) => [user.email, user.delivery_email ?? user.email].map((email) => [email, user])),
    );
  }

  async #prepareAccount(n: number): Promise<Account> {
    const { prefix, domain } = this.options;
    const email = `${prefix}-${n + 1}@${domain}`;
    const name = `Load ${prefix} ${n + 1}`;
    // A password derived from the owner's key lets later runs log in. 20 characters: strength checks of more are slow.
    const password = createHmac('sha256', this.target.owner).update(prefix).digest('hex').slice(0, 20);
    const existing = this.#existingUsers?.get(email);
    if (existing?.is_active === false) throw new Error(`${email} is deactivated: use another --prefix`);
    if (!existing) await this.#call('POST', '/users', { email, password, full_name: name });
    const { api_key, user_id } = await this.#call('POST', '/fetch_api_key', { username: email, password }, false).catch(
      (error: Error) => {
        const hint = existing ? ' (created with another key of the owner? use another --prefix)' : '';
        throw new Error(`${error.message}${hint}`);
      },
    );
    const id = (user_id as number | undefined) ?? existing?.user_id ?? (await this.#idOf(email));
    return { id, email, key: api_key as string, name };
  }

  async #idOf(email: string): Promise<number> {
    const { user } = (await this.#call('GET', `/users/${encodeURIComponent(email)}`, {})) as { readonly user: User };
    return user.user_id;
  }

  async #makeStreams(shape: Shape): Promise<void> {
    const { seed, perDepartment, smallest, largest, users } = shape;
    // Streams with the same name but another shape would have other members.
    const shapeId = createHash('sha256')
      .update([seed, perDepartment, smallest, largest].join())
      .digest('hex')
      .slice(0, 4);
    const count = streamsOf(shape);
    const names = Array.from({ length: count }, (_, i) => `${this.options.prefix} ${shapeId} ${i + 1}`);
    await this.#runInParallel(
      names.map((name, i) => ({ name, i })),
      async ({ name, i }) => {
        const members = membersOf(shape, i);
        for (let at = 0; at === 0 || at < members.length; at += MAX_PRINCIPALS_PER_CALL) {
          const principals = members.slice(at, at + MAX_PRINCIPALS_PER_CALL).map((user) => this.accounts[user]!.id);
          if (principals.length > 0) {
            await this.#call('POST', '/users/me/subscriptions', { subscriptions: [{ name }], principals });
          }
        }
      },
    );
    const all = (await this.#call('GET', '/streams', {})) as {
      readonly streams: readonly { readonly stream_id: number; readonly name: string }[];
    };
    const ids = new Map(all.streams.map(({ name, stream_id }) => [name, stream_id]));
    // Streams without members do not exist on the server.
    this.streams = names.map((name) => ({ name, id: ids.get(name) ?? 0 }));
    const subscriptions = names.reduce((sum, _, i) => sum + membersOf(shape, i).length, 0);
    this.print(
      `streams: ${count}, ${(subscriptions / count).toFixed(1)} subscribers each, ${(subscriptions / users).toFixed(1)} streams per user`,
    );
  }

  async #runInParallel<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
    const { signal } = this.#abortController;
    let next = 0;
    const runLane = async (): Promise<void> => {
      for (let i = next++; i < items.length; i = next++) {
        if (signal.aborted) throw new Error('interrupted');
        await work(items[i]!);
      }
    };
    const { promise, cancel } = abortOf(signal);
    try {
      await Promise.race([Promise.all(Array.from({ length: MAX_PARALLEL_CALLS }, runLane)), promise]);
    } finally {
      cancel();
    }
  }

  /** Calls the API; waits at a rate limit. @throws Error with the response unless it is a success */
  async #call(method: string, path: string, fields: Fields, asOwner = true): Promise<Record<string, unknown>> {
    const { authority, path: prefix, owner } = this.target;
    const headers = `Host: ${authority}\r\nUser-Agent: ConclaveLoad/1\r\n${asOwner ? `Authorization: ${owner}\r\n` : ''}`;
    const text = requestText(
      method,
      `${prefix}/api/v1${path}`,
      headers,
      method === 'GET' ? undefined : formText(fields),
    );
    for (let waits = 0; ; waits++) {
      const response = await new Promise<{ status: number; text: string; wait: number | undefined }>(
        (resolve, reject) => {
          this.#pool.call(text, ({ status, body, error, retryAfter }) => {
            if (error !== undefined) reject(new Error(`${method} ${path}: ${error}`));
            else resolve({ status, text: body.toString(), wait: retryAfter });
          });
        },
      );
      if (response.status === 200) return JSON.parse(response.text) as Record<string, unknown>;
      if (response.status !== 429 || waits === MAX_RATE_LIMIT_WAITS || this.#abortController.signal.aborted) {
        throw new Error(`${method} ${path}: ${response.status} ${response.text.slice(0, 500)}`);
      }
      if (!this.isLimited) this.print(`the server limits the rate of new accounts: waiting (${RATE_LIMIT_HINT})`);
      this.isLimited = true;
      await sleep(Math.min(120, response.wait ?? 5) * 1_000 + 50, undefined, { signal: this.#abortController.signal });
    }
  }
}

export const RATE_LIMIT_HINT =
  'for the test start it with RATE_LIMITS=off, or with larger RATE_LIMIT_USER and RATE_LIMIT_ADDRESS: docs/load.md, "Rate limits"';
