/** Plans of joining and leaving, as commands: one to each user with all streams, then one to each stream. */

import type { SubscribersByStream } from '#actors/shared';
import { foldStreamNameCase } from '#directory';
import { type RealmId, realmActorKey, streamActorKey, toStreamId, toUserId, userActorKey } from '#model';
import {
  type ActorCommandName,
  type ContinueSubscribingArgs,
  type EndSubscriptionsArgs,
  makeOutboxCommand,
  type NewSubscription,
  type OutboxCommand,
  type RemainingStreamSubscribers,
  realmActorCommands,
  streamActorCommands,
  userActorCommands,
} from '#model/commands';
import type { DirectoryStream, DirectoryUser } from '#model/records';

/** Commands of a plan in two stages: those to the users first, then those to the streams. */
function userAndStreamStages<T extends NewSubscription | EndSubscriptionsArgs['streams'][number]>(
  realm: RealmId,
  toUser: ActorCommandName<'user', { readonly streams: readonly T[] }>,
  toStream: ActorCommandName<'stream', { readonly users: readonly number[] }>,
  perUser: ReadonlyMap<number, readonly T[]>,
  perStream: ReadonlyMap<number, readonly number[]>,
  caller: number,
  after: number,
): OutboxCommand[][] {
  const users = [...perUser].map(([id, own]): OutboxCommand => {
    return makeOutboxCommand({
      to: userActorKey(realm, toUserId(id)),
      name: toUser,
      args: { streams: own },
      caller,
      after,
    });
  });
  const streams = [...perStream].map(([id, own]): OutboxCommand => {
    return makeOutboxCommand({
      to: streamActorKey(realm, toStreamId(id)),
      name: toStream,
      args: { users: own },
      caller,
      after,
    });
  });
  return users.length > 0 ? [users, streams] : [];
}

const appendTo = <K, V>(map: Map<K, V[]>, key: K, value: V): void => {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
};

/**
 * Approximate maximum bytes of all commands of one commit, because a root with its outbox is one document of the Store.
 */
const MAX_WEIGHT = 2 * 1024 * 1024;
/** Approximate bytes that one user and stream take in a command, without description and ids of subscribers. */
const PART_WEIGHT = 1_000;
const ID_WEIGHT = 5;

/**
 * Plan of a request by which users join streams. The command to a user names all subscribers of each stream, so the
 * commands weigh users times subscribers. Beyond `MAX_WEIGHT`, the rest is left to `carryOnJoining` commands, one after
 * the other, which read the subscribers again.
 */
export class SubscribePlan {
  readonly subscribed: Record<string, string[]> = {};
  readonly already: Record<string, string[]> = {};
  /** Names of existing streams, by the user who is subscribed to them. */
  readonly intoExisting = new Map<DirectoryUser, string[]>();
  /** Users who join by later commits than the first. */
  readonly #laterCommits: RemainingStreamSubscribers[][] = [];
  readonly #perUser = new Map<number, NewSubscription[]>();
  readonly #perStream = new Map<number, number[]>();
  /** Joining users by stream, including those of later commits. */
  readonly #joining = new Map<number, Set<number>>();
  #weight = 0;

  constructor(
    private readonly realm: RealmId,
    private readonly users: readonly DirectoryUser[],
    private readonly caller: number,
    private readonly members: SubscribersByStream,
    private readonly colors: ReadonlyMap<string, string | undefined>,
  ) {}

  add(stream: DirectoryStream, isNew: boolean): void {
    const before = new Set(isNew ? [] : this.members.get(stream.id));
    const joining: DirectoryUser[] = [];
    for (const user of this.users) {
      if (!before.has(user.id)) joining.push(user);
      const list = before.has(user.id) ? this.already : this.subscribed;
      list[user.email] ??= [];
      list[user.email]!.push(stream.name);
    }
    if (joining.length === 0) return;
    this.#joining.set(stream.id, new Set(joining.map((user) => user.id)));
    if (!isNew) for (const user of joining) appendTo(this.intoExisting, user, stream.name);
    const color = this.colors.get(foldStreamNameCase(stream.name)) ?? null;
    this.#join(
      stream,
      before,
      joining.map((user) => user.id),
      color,
    );
  }

  /** Adds joins that an earlier commit left for this one. That commit has checked their size. */
  carryOn(stream: DirectoryStream, { users, color }: RemainingStreamSubscribers): void {
    const before = new Set(this.members.get(stream.id));
    const joining = users.filter((user) => !before.has(user));
    if (joining.length > 0) this.#plan(stream, before, joining, color);
  }

  #join(stream: DirectoryStream, before: ReadonlySet<number>, joining: readonly number[], color: string | null): void {
    for (let from = 0; from < joining.length; ) {
      const count = this.#fitting(before.size + from, joining.length - from, stream);
      if (count === 0) {
        this.#laterCommits.push([]);
        this.#weight = 0;
        continue;
      }
      const users = joining.slice(from, from + count);
      const slice = this.#laterCommits.at(-1);
      if (slice) slice.push({ stream: stream.id, users, color });
      else this.#plan(stream, before, users, color);
      from += count;
    }
  }

  #plan(stream: DirectoryStream, before: ReadonlySet<number>, users: readonly number[], color: string | null): void {
    const subscribers = [...before, ...users].sort((a, b) => a - b);
    for (const user of users) {
      const own = user === this.caller ? color : null;
      appendTo(this.#perUser, user, { stream: stream as never, subscribers, color: own });
    }
    this.#perStream.set(stream.id, [...users]);
  }

  /** Number of users who fit the commit being planned; at least one if it is empty. */
  #fitting(before: number, joining: number, { description, renderedDescription }: DirectoryStream): number {
    const part = PART_WEIGHT + description.length + renderedDescription.length;
    const weight = (users: number): number => users * (part + (before + users) * ID_WEIGHT);
    let low = this.#weight === 0 ? 1 : 0;
    let high = joining;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (this.#weight + weight(middle) <= MAX_WEIGHT) low = middle;
      else high = middle - 1;
    }
    this.#weight += weight(low);
    return low;
  }

  joins(stream: number, user: number): boolean {
    return this.#joining.get(stream)?.has(user) ?? false;
  }

  joining(stream: number): ReadonlySet<number> {
    return this.#joining.get(stream) ?? NOBODY;
  }

  /**
   * Commands of the plan, in stages: first those to the users, then those to the streams, then `then`.
   *
   * @param after realm version that has the new streams
   * @param then stages that follow when all users have joined. If users join by later commits, the last
   * `carryOnJoining` sends these stages. This commit can't: they would block the later commands to the same actors,
   * while waiting for them.
   */
  stages(after: number, then: readonly (readonly OutboxCommand[])[] = []): (readonly OutboxCommand[])[] {
    const now = userAndStreamStages(
      this.realm,
      userActorCommands.subscribed,
      streamActorCommands.join,
      this.#perUser,
      this.#perStream,
      this.caller,
      after,
    );
    if (this.#laterCommits.length === 0) return [...now, ...then];
    const carryOn = (args: ContinueSubscribingArgs): OutboxCommand[] => {
      return [
        makeOutboxCommand({
          to: realmActorKey(this.realm),
          name: realmActorCommands.carryOnJoining,
          args,
          caller: this.caller,
        }),
      ];
    };
    const later = this.#laterCommits.map((streams) => carryOn({ streams }));
    return [...now, ...later, carryOn({ streams: [], afterwards: then })];
  }
}

const NOBODY: ReadonlySet<number> = new Set();

export class UnsubscribePlan {
  /** Names of the streams that users leave: one entry per user and stream. */
  readonly removed: string[] = [];
  readonly notRemoved: string[] = [];
  readonly #perUser = new Map<number, EndSubscriptionsArgs['streams'][number][]>();
  readonly #perStream = new Map<number, number[]>();

  constructor(
    private readonly realm: RealmId,
    private readonly caller: number,
  ) {}

  remove(user: DirectoryUser, stream: DirectoryStream, subscribed: boolean): void {
    if (!subscribed) {
      this.notRemoved.push(stream.name);
      return;
    }
    this.removed.push(stream.name);
    appendTo(this.#perUser, user.id, { id: stream.id, name: stream.name });
    appendTo(this.#perStream, stream.id, user.id);
  }

  /** Ids of the users who leave the stream. */
  leaving(stream: number): readonly number[] {
    return this.#perStream.get(stream) ?? [];
  }

  stages(after: number): OutboxCommand[][] {
    return userAndStreamStages(
      this.realm,
      userActorCommands.unsubscribed,
      streamActorCommands.leave,
      this.#perUser,
      this.#perStream,
      this.caller,
      after,
    );
  }
}
