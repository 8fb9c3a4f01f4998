/** Who joins and who leaves what, as commands: first to each user (all streams in one), then to each stream. */
import { type JsonObject, type RealmId, streamId, streamKey, userId, userKey } from '../../../../src/core/index.js';
import { type DirectoryStream, type DirectoryUser, foldName } from '../../../../src/directory/index.js';
import type { OutboxCommand } from '../../../../src/runtime/index.js';
import type { Subscribers } from '../../../shared/subscribers.js';

function commands(
  realm: RealmId,
  name: { readonly user: string; readonly stream: string },
  perUser: ReadonlyMap<number, readonly JsonObject[]>,
  perStream: ReadonlyMap<number, readonly number[]>,
  caller: number,
  after: number,
): OutboxCommand[][] {
  const toUsers = [...perUser].map(([id, streams]): OutboxCommand => {
    return { to: userKey(realm, userId(id)), name: name.user, args: { streams }, caller, after };
  });
  const toStreams = [...perStream].map(([id, users]): OutboxCommand => {
    return { to: streamKey(realm, streamId(id)), name: name.stream, args: { users }, caller, after };
  });
  return toUsers.length > 0 ? [toUsers, toStreams] : [];
}

const listed = <K, V>(map: Map<K, V[]>, key: K, value: V): void => {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
};

export class JoiningPlan {
  readonly subscribed: Record<string, string[]> = {};
  readonly already: Record<string, string[]> = {};
  /** Streams that existed before, by user who was subscribed to them. */
  readonly intoExisting = new Map<DirectoryUser, string[]>();
  readonly #perUser = new Map<number, JsonObject[]>();
  readonly #perStream = new Map<number, number[]>();

  constructor(
    private readonly realm: RealmId,
    private readonly users: readonly DirectoryUser[],
    private readonly caller: number,
    private readonly members: Subscribers,
    private readonly colors: ReadonlyMap<string, string | undefined>,
  ) {}

  add(stream: DirectoryStream, isNew: boolean): void {
    const before = isNew ? [] : (this.members.get(stream.id) ?? []);
    const joining = this.users.filter((user) => !before.includes(user.id));
    for (const user of this.users) {
      const list = joining.includes(user) ? this.subscribed : this.already;
      list[user.email] = [...(list[user.email] ?? []), stream.name];
    }
    if (joining.length === 0) return;
    const subscribers = [...before, ...joining.map((user) => user.id)].sort((a, b) => a - b);
    const color = this.colors.get(foldName(stream.name)) ?? null;
    for (const user of joining) {
      const own = user.id === this.caller ? color : null;
      listed(this.#perUser, user.id, { stream: stream as never, subscribers, color: own });
      if (!isNew) listed(this.intoExisting, user, stream.name);
    }
    this.#perStream.set(
      stream.id,
      joining.map((user) => user.id),
    );
  }

  joins(stream: number, user: number): boolean {
    return this.#perStream.get(stream)?.includes(user) ?? false;
  }

  joining(stream: number): readonly number[] {
    return this.#perStream.get(stream) ?? [];
  }

  /** @param after realm version that names the streams */
  stages(after: number): OutboxCommand[][] {
    const name = { user: 'subscribed', stream: 'join' };
    return commands(this.realm, name, this.#perUser, this.#perStream, this.caller, after);
  }
}

export class LeavingPlan {
  /** One name per user and stream. */
  readonly removed: string[] = [];
  readonly notRemoved: string[] = [];
  readonly #perUser = new Map<number, JsonObject[]>();
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
    listed(this.#perUser, user.id, { id: stream.id, name: stream.name });
    listed(this.#perStream, stream.id, user.id);
  }

  /** Of this stream. */
  leaving(stream: number): readonly number[] {
    return this.#perStream.get(stream) ?? [];
  }

  stages(after: number): OutboxCommand[][] {
    const name = { user: 'unsubscribed', stream: 'leave' };
    return commands(this.realm, name, this.#perUser, this.#perStream, this.caller, after);
  }
}
