/** Clients and load of a run: creates accounts, streams and queues, runs the load, and records the history. */
import { setTimeout as sleep } from 'node:timers/promises';
import { NEWEST_API_LEVEL } from '../api/support/levels.js';
import type { Random } from '../cluster/scheduler.js';
import { until } from '../support/until.js';
import { Frontends } from './frontends.js';
import type { Interruption, RunHistory, StoredMessage } from './history.js';
import { Load } from './load.js';
import { parseMessage } from './message-texts.js';
import {
  type Conversation,
  directConversations,
  makePeople,
  makeStreams,
  mapConcurrently,
  type Person,
  requestOrThrow,
} from './people.js';
import { Poller } from './poller.js';
import type { Address } from './processes.js';

export interface TrafficOptions {
  readonly rate: number;
  readonly clients: number;
  readonly subscribers: number;
}

/** Accounts of the clients, and the streams to which they send. */
export interface Population {
  readonly people: readonly Person[];
  readonly streams: readonly Conversation[];
}

/** Every third client has a queue of the newest API level, the others of the base level. */
const NEWEST_LEVEL_EVERY = 3;
const PAGE_MESSAGES = 1_000;
/** Timeout for the final messages to reach all queues; only a lost event takes this long. */
const DELIVERY_TIMEOUT_MS = 60_000;
/** Time for which requests after the load are retried: services and processes may still be recovering. */
const RECOVERY_TIMEOUT_MS = 60_000;
const RETRY_MS = 500;

export class Traffic {
  readonly interruptions: Interruption[] = [];

  private constructor(
    readonly frontends: Frontends,
    readonly load: Load,
    readonly pollers: readonly Poller[],
    private readonly conversations: readonly Conversation[],
  ) {}

  /** Creates accounts, streams and queues. The load starts with `load.start()`. */
  static prepare(
    addresses: readonly Address[],
    owner: string,
    { rate, clients, subscribers }: TrafficOptions,
    random: Random,
  ): Promise<Traffic> {
    return Traffic.withPopulation(addresses, rate, random, async (frontends) => {
      const people = await makePeople({ frontends, authorization: owner }, clients);
      return { people, streams: await makeStreams(frontends, people, subscribers) };
    });
  }

  /** Creates queues for the accounts and streams that `makePopulation` returns. */
  static async withPopulation(
    addresses: readonly Address[],
    rate: number,
    random: Random,
    makePopulation: (frontends: Frontends) => Promise<Population>,
  ): Promise<Traffic> {
    const frontends = new Frontends(addresses);
    try {
      const { people, streams } = await makePopulation(frontends);
      const direct = directConversations(people);
      const all = [...streams, ...direct];
      const pollers = await mapConcurrently(people, (person, i) => {
        const mine = all.filter(({ members }) => members.includes(person)).map(({ name }) => name);
        return Poller.start(
          person,
          mine,
          frontends,
          random,
          i % NEWEST_LEVEL_EVERY === 0 ? NEWEST_API_LEVEL : undefined,
        );
      });
      return new Traffic(frontends, new Load(frontends, streams, direct, random, rate), pollers, all);
    } catch (error) {
      await frontends.close();
      throw error;
    }
  }

  /** Stops the load, sends a final message to each conversation, waits for it in all queues, and reads the history. */
  async finish(): Promise<RunHistory> {
    await this.load.stop();
    const settledKeys = keysOf(await this.#history());
    const last = new Map<string, string>();
    const deadConversations: string[] = [];
    await mapConcurrently(this.conversations, async (one) => {
      const key = await retryUntilRecovered(() => this.load.sendFinal(one)).catch(() => undefined);
      if (key === undefined) deadConversations.push(one.name);
      else last.set(one.name, key);
    });
    const isMissing = (poller: Poller, name: string): boolean => {
      const key = last.get(name);
      return key !== undefined && !poller.keys.has(key);
    };
    const waiting = (): Poller[] =>
      this.pollers.filter(
        (poller) => poller.ended.length === 0 && [...poller.conversations].some((name) => isMissing(poller, name)),
      );
    // After a timeout the checker reports the missing messages.
    await until('the last messages in all queues', () => waiting().length === 0, DELIVERY_TIMEOUT_MS).catch(
      () => undefined,
    );
    for (const poller of this.pollers) poller.stop();
    const history = await this.#history();
    return {
      writes: this.load.writes,
      queues: this.pollers,
      settledKeys,
      stored: history,
      interruptions: this.interruptions,
      deadConversations,
    };
  }

  async close(): Promise<void> {
    for (const poller of this.pollers) poller.stop();
    await this.frontends.close();
  }

  async #history(): Promise<StoredMessage[]> {
    const pages = await mapConcurrently(this.conversations, (one) => retryUntilRecovered(() => this.#read(one)));
    return pages.flat();
  }

  /** @returns all messages of a conversation, oldest first */
  async #read({ narrow, members }: Conversation): Promise<StoredMessage[]> {
    const caller = { frontends: this.frontends, authorization: members[0]!.authorization };
    const all: StoredMessage[] = [];
    for (let anchor = 0; ; ) {
      const body = await requestOrThrow(caller, 'GET', '/messages', {
        anchor: String(anchor),
        include_anchor: 'false',
        num_before: '0',
        num_after: String(PAGE_MESSAGES),
        apply_markdown: 'false',
        narrow: JSON.stringify(narrow),
      });
      const messages = body.messages as readonly Readonly<Record<string, unknown>>[];
      all.push(...messages.map(parseMessage));
      if (body.found_newest === true || messages.length === 0) return all;
      anchor = all.at(-1)!.id;
    }
  }
}

/** Retries `work` for up to 60 s. @throws the last error */
async function retryUntilRecovered<T>(work: () => Promise<T>): Promise<T> {
  const until = performance.now() + RECOVERY_TIMEOUT_MS;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (performance.now() > until) throw error;
      await sleep(RETRY_MS);
    }
  }
}

function keysOf(messages: readonly StoredMessage[]): ReadonlySet<string> {
  return new Set(messages.flatMap(({ key, changes }) => (key === undefined ? changes : [key, ...changes])));
}
