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
  realmActorCommands,
  streamActorCommands,
  type UsersYetToJoinStream,
  userActorCommands,
} from '#model/commands';
import type { DirectoryStream, DirectoryUser } from '#model/records';

/** Commands of a plan in two stages: those to the users first, then those to the streams. */
function makeUserThenStreamCommandStages<T extends NewSubscription | EndSubscriptionsArgs['streams'][number]>(
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

const appendToListInMap = <K, V>(map: Map<K, V[]>, key: K, value: V): void => {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
};

/**
 * Approximate maximum bytes of all commands of one commit, because a root with its outbox is one document of the Store.
 */
const MAX_COMMAND_BYTES_PER_COMMIT = 2 * 1024 * 1024;
/** Approximate bytes that one user and stream take in a command, without description and ids of subscribers. */
const APPROX_BYTES_PER_USER_AND_STREAM = 1_000;
const APPROX_BYTES_PER_SUBSCRIBER_ID = 5;

/**
 * Plan of a request by which users join streams. The command to a user names all subscribers of each stream, so the
 * commands weigh users times subscribers. Beyond `MAX_COMMAND_BYTES_PER_COMMIT`, the rest is left to `carryOnJoining`
 * commands, one after the other, which read the subscribers again.
 */
export class SubscribePlan {
  readonly subscribedStreamNamesByEmail: Record<string, string[]> = {};
  readonly alreadySubscribedStreamNamesByEmail: Record<string, string[]> = {};
  /** Names of existing streams, by the user who is subscribed to them. */
  readonly joinedExistingStreamNamesByUser = new Map<DirectoryUser, string[]>();
  /** Users whose joins are too large for this commit. Each list is left to one later commit. */
  readonly #joinsOfLaterCommits: UsersYetToJoinStream[][] = [];
  readonly #newSubscriptionsByUserId = new Map<number, NewSubscription[]>();
  readonly #joiningUserIdsOfThisCommitByStreamId = new Map<number, number[]>();
  /** Joining users by stream, including those of later commits. */
  readonly #allJoiningUserIdsByStreamId = new Map<number, Set<number>>();
  #commandBytesOfCommitInPlanning = 0;

  constructor(
    private readonly realm: RealmId,
    private readonly users: readonly DirectoryUser[],
    private readonly caller: number,
    private readonly members: SubscribersByStream,
    private readonly colors: ReadonlyMap<string, string | undefined>,
  ) {}

  planJoinsToStream(stream: DirectoryStream, isNew: boolean): void {
    const before = new Set(isNew ? [] : this.members.get(stream.id));
    const joining: DirectoryUser[] = [];
    for (const user of this.users) {
      if (!before.has(user.id)) joining.push(user);
      const list = before.has(user.id) ? this.alreadySubscribedStreamNamesByEmail : this.subscribedStreamNamesByEmail;
      list[user.email] ??= [];
      list[user.email]!.push(stream.name);
    }
    if (joining.length === 0) return;
    this.#allJoiningUserIdsByStreamId.set(stream.id, new Set(joining.map((user) => user.id)));
    if (!isNew) for (const user of joining) appendToListInMap(this.joinedExistingStreamNamesByUser, user, stream.name);
    const color = this.colors.get(foldStreamNameCase(stream.name)) ?? null;
    this.#planJoinsOverCommits(
      stream,
      before,
      joining.map((user) => user.id),
      color,
    );
  }

  /** Adds joins that an earlier commit left for this one. That commit has checked their size. */
  addJoinsLeftByEarlierCommit(stream: DirectoryStream, { users, color }: UsersYetToJoinStream): void {
    const before = new Set(this.members.get(stream.id));
    const joining = users.filter((user) => !before.has(user));
    if (joining.length > 0) this.#addJoinsToThisCommit(stream, before, joining, color);
  }

  #planJoinsOverCommits(
    stream: DirectoryStream,
    before: ReadonlySet<number>,
    joining: readonly number[],
    color: string | null,
  ): void {
    for (let from = 0; from < joining.length; ) {
      const count = this.#reserveRoomForFittingUsers(before.size + from, joining.length - from, stream);
      if (count === 0) {
        this.#joinsOfLaterCommits.push([]);
        this.#commandBytesOfCommitInPlanning = 0;
        continue;
      }
      const users = joining.slice(from, from + count);
      const slice = this.#joinsOfLaterCommits.at(-1);
      if (slice) slice.push({ stream: stream.id, users, color });
      else this.#addJoinsToThisCommit(stream, before, users, color);
      from += count;
    }
  }

  #addJoinsToThisCommit(
    stream: DirectoryStream,
    before: ReadonlySet<number>,
    users: readonly number[],
    color: string | null,
  ): void {
    const subscribers = [...before, ...users].sort((a, b) => a - b);
    for (const user of users) {
      const own = user === this.caller ? color : null;
      appendToListInMap(this.#newSubscriptionsByUserId, user, { stream: stream as never, subscribers, color: own });
    }
    this.#joiningUserIdsOfThisCommitByStreamId.set(stream.id, [...users]);
  }

  /** Number of users who fit the commit being planned; at least one if it is empty. */
  #reserveRoomForFittingUsers(
    before: number,
    joining: number,
    { description, renderedDescription }: DirectoryStream,
  ): number {
    const part = APPROX_BYTES_PER_USER_AND_STREAM + description.length + renderedDescription.length;
    const weight = (users: number): number => users * (part + (before + users) * APPROX_BYTES_PER_SUBSCRIBER_ID);
    let low = this.#commandBytesOfCommitInPlanning === 0 ? 1 : 0;
    let high = joining;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if (this.#commandBytesOfCommitInPlanning + weight(middle) <= MAX_COMMAND_BYTES_PER_COMMIT) low = middle;
      else high = middle - 1;
    }
    this.#commandBytesOfCommitInPlanning += weight(low);
    return low;
  }

  isJoining(stream: number, user: number): boolean {
    return this.#allJoiningUserIdsByStreamId.get(stream)?.has(user) ?? false;
  }

  getJoiningUserIds(stream: number): ReadonlySet<number> {
    return this.#allJoiningUserIdsByStreamId.get(stream) ?? NO_USER_IDS;
  }

  /**
   * Commands of the plan, in stages: first those to the users, then those to the streams, then `then`.
   *
   * @param after realm version that has the new streams
   * @param then stages that follow when all users have joined. If users join by later commits, the last
   * `carryOnJoining` sends these stages. This commit can't: they would block the later commands to the same actors,
   * while waiting for them.
   */
  makeCommandStages(after: number, then: readonly (readonly OutboxCommand[])[] = []): (readonly OutboxCommand[])[] {
    const now = makeUserThenStreamCommandStages(
      this.realm,
      userActorCommands.subscribed,
      streamActorCommands.join,
      this.#newSubscriptionsByUserId,
      this.#joiningUserIdsOfThisCommitByStreamId,
      this.caller,
      after,
    );
    if (this.#joinsOfLaterCommits.length === 0) return [...now, ...then];
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
    const later = this.#joinsOfLaterCommits.map((streams) => carryOn({ streams }));
    return [...now, ...later, carryOn({ streams: [], afterwards: then })];
  }
}

const NO_USER_IDS: ReadonlySet<number> = new Set();

export class UnsubscribePlan {
  /** Names of the streams that users leave: one entry per user and stream. */
  readonly removedStreamNames: string[] = [];
  readonly notRemovedStreamNames: string[] = [];
  readonly #leftStreamsByUserId = new Map<number, EndSubscriptionsArgs['streams'][number][]>();
  readonly #leavingUserIdsByStreamId = new Map<number, number[]>();

  constructor(
    private readonly realm: RealmId,
    private readonly caller: number,
  ) {}

  planUnsubscription(user: DirectoryUser, stream: DirectoryStream, subscribed: boolean): void {
    if (!subscribed) {
      this.notRemovedStreamNames.push(stream.name);
      return;
    }
    this.removedStreamNames.push(stream.name);
    appendToListInMap(this.#leftStreamsByUserId, user.id, { id: stream.id, name: stream.name });
    appendToListInMap(this.#leavingUserIdsByStreamId, stream.id, user.id);
  }

  /** Ids of the users who leave the stream. */
  getLeavingUserIds(stream: number): readonly number[] {
    return this.#leavingUserIdsByStreamId.get(stream) ?? [];
  }

  makeCommandStages(after: number): OutboxCommand[][] {
    return makeUserThenStreamCommandStages(
      this.realm,
      userActorCommands.unsubscribed,
      streamActorCommands.leave,
      this.#leftStreamsByUserId,
      this.#leavingUserIdsByStreamId,
      this.caller,
      after,
    );
  }
}
