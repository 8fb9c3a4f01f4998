/**
 * POST /users/me/subscriptions (streams.md). The realm actor coordinates: it reserves names, reads who is subscribed,
 * decides, and has the decision carried out by the users (personal properties, subscription/add) and then by the
 * streams (membership, peer_add), so that the log shows them in the order that clients expect.
 */
import { apiError } from '../../../src/api/errors.js';
import { type JsonObject, type RealmId, streamId, streamKey, userId, userKey } from '../../../src/core/index.js';
import { type DirectoryStream, type DirectoryUser, foldName } from '../../../src/directory/index.js';
import { ROLE, SYSTEM_GROUP } from '../../../src/people/index.js';
import type { LogItem, OutboxCommand } from '../../../src/runtime/index.js';
import { canAccess, presentStream } from '../../../src/streams/index.js';
import { success } from '../../shared/replies.js';
import { readSubscribers, type Subscribers } from '../../shared/subscribers.js';
import { asPart, type RealmState, STREAM_PART, streamOf, userOf } from '../state.js';
import type { RealmCommand } from './command.js';
import { checkCreation, checkPrincipals, retentionOf, wantedStreams } from './subscribe-checks.js';

export interface SubscribeArgs extends JsonObject {
  readonly subscriptions: readonly { readonly name: string; readonly description?: string; readonly color?: string }[];
  /** Ids or API e-mails; empty = the caller. */
  readonly principals: readonly (string | number)[];
  readonly authorization_errors_fatal: boolean;
  readonly invite_only: boolean;
  readonly is_web_public: boolean;
  readonly history_public_to_subscribers: boolean | null;
  readonly stream_post_policy: number;
  readonly message_retention_days: string | number;
  readonly can_remove_subscribers_group_id: number | null;
}

export const subscribe: RealmCommand<SubscribeArgs, Subscribers> = {
  lane: 'directory',
  exclusive: true,

  needs({ subscriptions }, { realm, view }, suppliers) {
    const ids = subscriptions.map(({ name }) => view.volatile.streamByName(name.trim()));
    return readSubscribers(realm, [...new Set(ids.filter((id) => id !== undefined))], suppliers);
  },

  handle({ state, parts, volatile }, args, members, { caller, now, realm, version }) {
    const acting = userOf(parts, caller);
    if (!acting) throw apiError('INSUFFICIENT_PERMISSION');
    if (acting.role === ROLE.guest) throw apiError('NO_GUESTS');
    const group = checkRemoveGroup(args.can_remove_subscribers_group_id);
    const retention = retentionOf(args.message_retention_days);
    const users = checkPrincipals(args.principals, acting, state.settings, now, (p) =>
      userOf(parts, typeof p === 'number' ? p : (volatile.userByEmail(p) ?? -1)),
    );
    const wanted = wantedStreams(args.subscriptions);
    const existing: DirectoryStream[] = [];
    const missing: typeof wanted = [];
    for (const entry of wanted) {
      const id = volatile.streamByName(entry.name);
      const stream = id === undefined ? undefined : streamOf(parts, id);
      if (stream) existing.push(stream);
      else missing.push(entry);
    }
    if (missing.length > 0) checkCreation(args, acting, state.settings, now, retention);
    const isMember = (stream: DirectoryStream, user: number): boolean =>
      members.get(stream.id)?.includes(user) ?? false;
    const closed = existing.filter((stream) => !canAccess(acting, stream, isMember(stream, caller)));
    if (closed[0] && args.authorization_errors_fatal) {
      throw apiError('STREAM_INACCESSIBLE', { stream_name: closed[0].name });
    }
    const open = existing.filter((stream) => !closed.includes(stream));
    let next: RealmState = state;
    const created = missing.map((entry): DirectoryStream => {
      const id = streamId(next.nextStream);
      volatile.addStream(id, entry.name);
      const made: DirectoryStream = {
        id,
        recipient: next.nextRecipient,
        name: entry.name,
        description: entry.description,
        renderedDescription: entry.rendered,
        created: Math.floor(now / 1000),
        creator: acting.id,
        inviteOnly: args.invite_only,
        historyPublic: args.invite_only ? (args.history_public_to_subscribers ?? false) : true,
        webPublic: args.is_web_public,
        postPolicy: args.stream_post_policy,
        retentionDays: retention,
        canRemoveGroup: group,
        firstMessage: null,
        archived: false,
      };
      next = { ...next, nextStream: id + 1, nextRecipient: next.nextRecipient + 1, directoryVersion: version };
      return made;
    });
    const plan = new SubscriptionPlan(
      realm,
      users,
      caller,
      members,
      new Map(wanted.map((w) => [foldName(w.name), w.color])),
    );
    for (const stream of [...open, ...created]) plan.add(stream, created.includes(stream));
    return {
      reply: success(
        {
          subscribed: plan.subscribed,
          already_subscribed: plan.already,
          ...(args.authorization_errors_fatal ? {} : { unauthorized: closed.map((stream) => stream.name) }),
        },
        created.length > 0 ? version : undefined,
      ),
      ...(created.length > 0 ? { state: next } : {}),
      parts: Object.fromEntries(created.map((stream) => [`${STREAM_PART}${stream.id}`, asPart(stream)])),
      events: created.flatMap((stream) => streamCreated(stream, version)),
      commands: plan.stages(next.directoryVersion),
      replyAfterCommands: true,
    };
  },
};

function checkRemoveGroup(id: number | null): number {
  const setting = 'can_remove_subscribers_group';
  if (id === null) return SYSTEM_GROUP.administrators;
  // All groups that exist so far are system groups.
  if (!Object.values(SYSTEM_GROUP).includes(id as never)) throw apiError('INVALID_USER_GROUP');
  if (id === SYSTEM_GROUP.internet) throw apiError('GROUP_NOT_ALLOWED', { setting, group: '@role:internet' });
  if (id === SYSTEM_GROUP.owners) throw apiError('GROUP_NOT_ALLOWED', { setting, group: '@role:owners' });
  if (id === SYSTEM_GROUP.nobody) throw apiError('GROUP_NOT_ALLOWED', { setting, group: '@role:nobody' });
  return id;
}

/**
 * A public stream is announced to everybody but guests, a private one to administrators. Others hear of a private stream
 * from their own actor when they join it, so that their snapshots show both or neither.
 */
function streamCreated(stream: DirectoryStream, version: number): LogItem[] {
  const event = { type: 'stream', op: 'create', streams: [presentStream(stream)] };
  const role = stream.inviteOnly ? ROLE.admin : ROLE.member;
  return [
    { t: 'directory', change: { stream: stream as never } },
    { t: 'event', to: { role, rv: version }, event },
  ];
}

/** Who joins what, as commands: first to each user (all streams in one), then to each stream (all users in one). */
class SubscriptionPlan {
  readonly subscribed: Record<string, string[]> = {};
  readonly already: Record<string, string[]> = {};
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
      const streams = this.#perUser.get(user.id) ?? [];
      streams.push({ stream: stream as never, subscribers, color: user.id === this.caller ? color : null });
      this.#perUser.set(user.id, streams);
    }
    this.#perStream.set(
      stream.id,
      joining.map((user) => user.id),
    );
  }

  /** @param after realm version that names the streams */
  stages(after: number): OutboxCommand[][] {
    const { caller } = this;
    const toUsers = [...this.#perUser].map(([id, streams]): OutboxCommand => {
      return { to: userKey(this.realm, userId(id)), name: 'subscribed', args: { streams }, caller, after };
    });
    const toStreams = [...this.#perStream].map(([id, users]): OutboxCommand => {
      return { to: streamKey(this.realm, streamId(id)), name: 'join', args: { users }, caller, after };
    });
    return toUsers.length > 0 ? [toUsers, toStreams] : [];
  }
}
