/** Snapshot + events = state: the fact that every client's correctness rests on, for any action. */
import { isDeepStrictEqual } from 'node:util';
import type { Test } from 'tap';
import { LONG, picked } from '../../support/rounds.js';
import { until } from '../../support/until.js';
import { whileWatched } from './actions.js';
import type { Params } from './client.js';
import { CLIENTS, comparable, optionsOf } from './comparable.js';
import type { Person } from './organization.js';
import { Queue } from './queue.js';
import { apply, type State } from './reducer.js';
import type { Fields } from './types.js';

interface Pair {
  readonly person: Person;
  readonly kind: string;
}

const pairsOf = (people: readonly Person[]): Pair[] =>
  people.flatMap((person) => Object.keys(CLIENTS).map((kind) => ({ person, kind })));

/** Followers of one action on a cluster: events take the same code there, and other ways. */
const CLUSTER_FOLLOWERS = 2;
/** Followers that register while actions run at once. */
const MAX_RACING_FOLLOWERS = { embedded: 24, cluster: 12, long: 60 };

/** One kind for each user on the embedded face; a few followers on a cluster. */
function pickedPairs(people: readonly Person[], title: string): readonly Pair[] {
  if (LONG) return pairsOf(people);
  const nameOf = ({ person, kind }: Pair): string => `${title} ${person.role} ${person.name} ${kind}`;
  const some = people.flatMap((person) => picked(pairsOf([person]), 1, nameOf));
  return people[0]?.api.target.kind === 'cluster' ? picked(some, CLUSTER_FOLLOWERS, nameOf) : some;
}

/** A client that keeps its state by events. */
export class Follower {
  #state: State;

  private constructor(
    readonly queue: Queue,
    readonly title: string,
    private readonly params: Params,
  ) {
    this.#state = queue.state as unknown as State;
  }

  static async start(person: Person, kind: string): Promise<Follower> {
    const { params, headers } = CLIENTS[kind]!;
    const client = { ...person, api: person.api.with(headers) };
    const follower = new Follower(await Queue.register(client, params), `${person.role}, ${kind}`, params);
    // Transient events reach a queue only after its first answer.
    await follower.#read();
    return follower;
  }

  async #read(): Promise<void> {
    const options = optionsOf(this.params, this.queue.of.api.isAtNewerLevel);
    for (const event of await this.queue.now()) this.#state = apply(this.#state, event, options);
  }

  /** A follower of each kind for each user. */
  static all(people: readonly Person[]): Promise<Follower[]> {
    return Follower.#startEach(pairsOf(people));
  }

  /** Followers of one action: {@link all} in the long form, otherwise those that the seed picks by the title. */
  static some(people: readonly Person[], title: string): Promise<Follower[]> {
    return Follower.#startEach(pickedPairs(people, title));
  }

  static #startEach(pairs: readonly Pair[]): Promise<Follower[]> {
    return Promise.all(pairs.map(({ person, kind }) => Follower.start(person, kind)));
  }

  /**
   * Waits until its state equals that of a fresh registration, and checks that this stays so without further events.
   */
  async verify(t: Test, title: string): Promise<void> {
    let fresh: State = comparable(this.queue.state, this.params);
    let mine: State = fresh;
    const level = async (): Promise<boolean> => {
      const { queue_id, ...state } = await this.queue.of.api.ok('POST /register', this.params);
      await this.queue.of.api.ok('DELETE /events', { queue_id });
      fresh = comparable(state, this.params);
      await this.#read();
      mine = comparable(this.#state as unknown as Fields, this.params);
      const { recent_private_conversations } = mine;
      if (recent_private_conversations === 'unsure') fresh = { ...fresh, recent_private_conversations };
      return isDeepStrictEqual(mine, fresh);
    };
    // Events may still be on their way when the action is answered.
    let failure: unknown;
    const settles = (): Promise<boolean> =>
      level().catch((error: unknown) => {
        failure = error;
        return true;
      });
    await until(title, settles, 5_000).catch(() => undefined);
    // An event that the client cannot interpret is an error, not a state that came late.
    if (failure !== undefined) throw failure;
    t.same(mine, fresh, `${title}, seen by ${this.title}`);
  }
}

/**
 * Register, act, apply the events, and compare with a fresh registration: for each of these people, on a cluster for
 * some of them. In the long form each of them follows with each kind of client.
 */
export async function verifyAction(
  t: Test,
  title: string,
  people: readonly Person[],
  action: () => Promise<unknown>,
): Promise<void> {
  const followers = await Follower.some(people, title);
  await whileWatched(
    followers.map(({ queue }) => queue.of.api.headers.authorization!),
    action,
  );
  await Promise.all(followers.map((follower) => follower.verify(t, title)));
  await Promise.all(followers.map((follower) => follower.queue.delete()));
}

/** Like verifyAction, with registrations in the middle of many concurrent actions. */
export async function verifyRacing(
  t: Test,
  title: string,
  people: readonly Person[],
  actions: readonly (() => Promise<unknown>)[],
): Promise<void> {
  const face = LONG ? 'long' : (people[0]?.api.target.kind ?? 'embedded');
  const started = actions.map((action) => action());
  const followers: Follower[] = [];
  let running = started.length;
  for (const one of started) {
    void one.finally(() => {
      running--;
    });
  }
  do followers.push(...(await Follower.all(people)));
  while (running > 0 && followers.length < MAX_RACING_FOLLOWERS[face]);
  await Promise.all(started);
  for (const follower of followers) await follower.verify(t, title);
  await Promise.all(followers.map((follower) => follower.queue.delete()));
}
