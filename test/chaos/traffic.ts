/** Clients and load of a run: makes accounts and queues, and records the history that the checker judges. */
import { setTimeout as sleep } from 'node:timers/promises';
import { NEWEST_API_LEVEL } from '../api/support/levels.js';
import type { Random } from '../cluster/scheduler.js';
import { until } from '../support/until.js';
import { Frontends } from './frontends.js';
import type { Interruption, RunHistory, Stored } from './history.js';
import { Load } from './load.js';
import { stored } from './message-texts.js';
import {
  type Conversation,
  callOrThrow,
  directConversations,
  makePeople,
  makeStreams,
  mapConcurrently,
  type Person,
} from './people.js';
import { Poller } from './poller.js';
import type { Address } from './processes.js';

export interface TrafficOptions {
  readonly rate: number;
  readonly clients: number;
  readonly subscribers: number;
}

/** Accounts with clients, and the streams to which they send. */
export interface Population {
  readonly people: readonly Person[];
  readonly streams: readonly Conversation[];
}

/** One client in this number has a queue of the newest API level, the others have queues of the base level. */
const CLIENTS_PER_NEWEST_LEVEL = 3;
const PAGE_MESSAGES = 1_000;
/** Time after which an event that no queue has delivered counts as lost, ms. */
const MAX_ARRIVAL_MS = 60_000;
/** Time for services and processes to recover from the last fault, ms. */
const MAX_RECOVERY_MS = 60_000;
const RETRY_MS = 500;

export class Traffic {
  readonly interruptions: Interruption[] = [];

  private constructor(
    readonly frontends: Frontends,
    readonly load: Load,
    readonly pollers: readonly Poller[],
    private readonly conversations: readonly Conversation[],
  ) {}

  /** Makes accounts, streams and queues. Nothing is sent before `load.start()`. */
  static prepare(
    addresses: readonly Address[],
    owner: string,
    { rate, clients, subscribers }: TrafficOptions,
    random: Random,
  ): Promise<Traffic> {
    return Traffic.among(addresses, rate, random, async (frontends) => {
      const people = await makePeople({ frontends, authorization: owner }, clients);
      return { people, streams: await makeStreams(frontends, people, subscribers) };
    });
  }

  /** Makes queues for the accounts of a population, and the load in its streams. */
  static async among(
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
          i % CLIENTS_PER_NEWEST_LEVEL === 0 ? NEWEST_API_LEVEL : undefined,
        );
      });
      return new Traffic(frontends, new Load(frontends, streams, direct, random, rate), pollers, all);
    } catch (error) {
      await frontends.close();
      throw error;
    }
  }

  /** Ends the load, waits until the queues have delivered what was stored by then, and reads the history. */
  async finish(): Promise<RunHistory> {
    await this.load.stop();
    const settled = keysOf(await this.#history());
    const last = new Map<string, string>();
    const stuckConversations: string[] = [];
    await mapConcurrently(this.conversations, async (one) => {
      const key = await retryUntilRecovered(() => this.load.last(one)).catch(() => undefined);
      if (key === undefined) stuckConversations.push(one.name);
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
    await until('the last messages in all queues', () => waiting().length === 0, MAX_ARRIVAL_MS).catch(() => undefined);
    for (const poller of this.pollers) poller.stop();
    const history = await this.#history();
    return {
      writes: this.load.writes,
      queues: this.pollers,
      settled,
      stored: history,
      interruptions: this.interruptions,
      stuckConversations,
    };
  }

  async close(): Promise<void> {
    for (const poller of this.pollers) poller.stop();
    await this.frontends.close();
  }

  async #history(): Promise<Stored[]> {
    const pages = await mapConcurrently(this.conversations, (one) => retryUntilRecovered(() => this.#read(one)));
    return pages.flat();
  }

  /** Reads all messages of a conversation, oldest first. */
  async #read({ narrow, members }: Conversation): Promise<Stored[]> {
    const caller = { frontends: this.frontends, authorization: members[0]!.authorization };
    const all: Stored[] = [];
    for (let anchor = 0; ; ) {
      const body = await callOrThrow(caller, 'GET', '/messages', {
        anchor: String(anchor),
        include_anchor: 'false',
        num_before: '0',
        num_after: String(PAGE_MESSAGES),
        apply_markdown: 'false',
        narrow: JSON.stringify(narrow),
      });
      const messages = body.messages as readonly Readonly<Record<string, unknown>>[];
      all.push(...messages.map(stored));
      if (body.found_newest === true || messages.length === 0) return all;
      anchor = all.at(-1)!.id;
    }
  }
}

/** Repeats a call until it succeeds. @throws its last error after `MAX_RECOVERY_MS` */
async function retryUntilRecovered<T>(work: () => Promise<T>): Promise<T> {
  const until = performance.now() + MAX_RECOVERY_MS;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (performance.now() > until) throw error;
      await sleep(RETRY_MS);
    }
  }
}

function keysOf(messages: readonly Stored[]): ReadonlySet<string> {
  return new Set(messages.flatMap(({ key, changes }) => (key === undefined ? changes : [key, ...changes])));
}
