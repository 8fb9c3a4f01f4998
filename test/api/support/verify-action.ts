/** Snapshot + events = state: the fact that every client's correctness rests on, for any action. */
import { isDeepStrictEqual } from 'node:util';
import type { Test } from 'tap';
import { until } from '../../support/until.js';
import { whileWatched } from './actions.js';
import type { Params } from './client.js';
import type { Person } from './organization.js';
import { Queue } from './queue.js';
import { apply, type ReducerOptions, type State } from './reducer.js';
import { byTopic } from './reducer-own.js';
import { ofActive, online } from './reducer-people.js';
import type { ApiStream, Fields } from './types.js';

const CAPABILITIES = [
  'notification_settings_null',
  'bulk_message_deletion',
  'user_avatar_url_field_optional',
  'stream_typing_notifications',
  'user_settings_object',
  'linkifier_url_template',
];

/** The two extremes of what a client can ask for. */
const KINDS: Readonly<Record<string, Params>> = {
  'all capabilities': {
    include_subscribers: true,
    client_gravatar: false,
    slim_presence: true,
    apply_markdown: true,
    client_capabilities: Object.fromEntries(CAPABILITIES.map((name) => [name, true])),
  },
  'no capabilities': {},
};

const optionsOf = (params: Params): ReducerOptions => ({
  clientGravatar: params.client_gravatar !== false,
  includeSubscribers: params.include_subscribers === true,
});

/** Without what differs between any two registrations, and what no event tells those who are not subscribed. */
function comparable({ queue_id: _, last_event_id: __, server_timestamp, ...state }: Fields, params: Params): State {
  const known = new Set((state.subscriptions as ApiStream[]).map((stream) => stream.stream_id));
  const hide = (list: ApiStream[]): ApiStream[] =>
    list.map((stream) => (known.has(stream.stream_id) ? stream : { ...stream, first_message_id: 'unknown' }));
  const of = state as unknown as State;
  const user_topics = byTopic(of.user_topics as Parameters<typeof byTopic>[0]);
  // Of what somebody has left and can't see any more, he hears nothing.
  const seen = new Set(of.streams.map((stream) => stream.stream_id));
  const unsubscribed = hide(of.unsubscribed).filter((stream) => seen.has(stream.stream_id));
  return {
    ...of,
    // Events tell of avatars whether the client can do without or not.
    ...(params.client_capabilities ? { realm_non_active_users: withoutAvatars(of.realm_non_active_users) } : {}),
    streams: hide(of.streams),
    unsubscribed,
    never_subscribed: hide(of.never_subscribed),
    user_topics,
    presences: online(of, Number(server_timestamp)),
    user_status: ofActive(of),
  };
}

const withoutAvatars = (users: unknown): object[] =>
  (users as { avatar_url?: unknown }[]).map(({ avatar_url: _, ...user }) => user);

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
    const params = KINDS[kind] ?? {};
    const follower = new Follower(await Queue.register(person, params), `${person.role}, ${kind}`, params);
    // What is never stored reaches a queue from its first answer on.
    await follower.#read();
    return follower;
  }

  async #read(): Promise<void> {
    for (const event of await this.queue.now()) this.#state = apply(this.#state, event, optionsOf(this.params));
  }

  /** Both kinds for each person. */
  static all(people: readonly Person[]): Promise<Follower[]> {
    return Promise.all(people.flatMap((person) => Object.keys(KINDS).map((kind) => Follower.start(person, kind))));
  }

  /** Its state and that of a fresh registration become equal, and stay so when nothing more comes. */
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
    // An event that the client cannot make sense of is no state that came late.
    if (failure !== undefined) throw failure;
    t.same(mine, fresh, `${title}, seen by ${this.title}`);
  }
}

/** Register, act, apply the events, and compare with a fresh registration: for each of these people. */
export async function verifyAction(
  t: Test,
  title: string,
  people: readonly Person[],
  action: () => Promise<unknown>,
): Promise<void> {
  const followers = await Follower.all(people);
  await whileWatched(
    people.map((person) => person.api.headers.authorization!),
    action,
  );
  await Promise.all(followers.map((follower) => follower.verify(t, title)));
  await Promise.all(followers.map((follower) => follower.queue.delete()));
}

/** As verifyAction, with registrations in the middle of many actions at once. */
export async function verifyRacing(
  t: Test,
  title: string,
  people: readonly Person[],
  actions: readonly (() => Promise<unknown>)[],
): Promise<void> {
  const started = actions.map((action) => action());
  const followers: Follower[] = [];
  let running = started.length;
  for (const one of started) {
    void one.finally(() => {
      running--;
    });
  }
  do followers.push(...(await Follower.all(people)));
  while (running > 0 && followers.length < 60);
  await Promise.all(started);
  for (const follower of followers) await follower.verify(t, title);
  await Promise.all(followers.map((follower) => follower.queue.delete()));
}
