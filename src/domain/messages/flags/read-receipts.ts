/** Read receipts: the users who have read a message (messages.md § GET /messages/{id}/read_receipts). */
import type { Json } from '#base';
import { readUserSettingByUserId } from '#domain/people';
import { STREAM_MEMBER_PART_PREFIX, type StreamMembershipRecord, toStreamMembershipRecord } from '#domain/streams';
import { type RealmId, streamActorKey, toStreamId, toUserId, userActorKey } from '#model';
import type { DirectoryUser, DirectoryView } from '#model/records';
import type { Store } from '#ports/store';
import { computeMessageCopyState, streamIdsDecidingMessageCopies } from '../access/message-access.js';
import type { StoredMessage } from '../stored/message.js';
import { PERSONAL_COPY_PARTS, READ_STATE_PART_PREFIX, UserMessageFlagsView } from './read-state.js';

/** Memberships of users: stream → user → membership. */
type MembershipsByStreamAndUser = ReadonlyMap<number, ReadonlyMap<number, StreamMembershipRecord>>;

async function loadMembershipsOfStreams(
  store: Store,
  realm: RealmId,
  streams: readonly number[],
): Promise<MembershipsByStreamAndUser> {
  const lists = await Promise.all(
    streams.map((stream) => store.listParts(streamActorKey(realm, toStreamId(stream)), STREAM_MEMBER_PART_PREFIX)),
  );
  return new Map(
    lists.map((parts, i) => {
      const members = parts.map(
        ({ part, value }) =>
          [Number(part.slice(STREAM_MEMBER_PART_PREFIX.length)), toStreamMembershipRecord(value)] as const,
      );
      return [
        streams[i]!,
        new Map(members.filter((of): of is readonly [number, StreamMembershipRecord] => of[1] !== undefined)),
      ];
    }),
  );
}

/** True if the caller may learn that this user has read the message. */
function mayShowReadReceipt(
  user: DirectoryUser | undefined,
  message: StoredMessage,
  caller: number,
  directory: DirectoryView,
): boolean {
  if (!user?.isActive || user.id === message.sender) return false;
  if (!readUserSettingByUserId(directory, user.id, 'send_read_receipts')) return false;
  if (directory.preferencesOf(user.id).muted.some(({ id }) => id === caller)) return false;
  return !directory.preferencesOf(toUserId(caller)).muted.some(({ id }) => id === user.id);
}

/** Ids of the users who have a copy of the message and have read it, ascending. */
export async function findVisibleMessageReaderIds(
  message: StoredMessage,
  caller: number,
  { store, realm, directory }: { store: Store; realm: RealmId; directory: DirectoryView },
): Promise<number[]> {
  const memberships = await loadMembershipsOfStreams(store, realm, streamIdsDecidingMessageCopies(message));
  const holders = new Set([...message.participants, ...(message.body.copies ?? [])]);
  for (const members of memberships.values()) for (const user of members.keys()) holders.add(user);
  const shown = [...holders]
    .filter((user) => mayShowReadReceipt(directory.user(toUserId(user)), message, caller, directory))
    .sort((a, b) => a - b);
  const names = [`${READ_STATE_PART_PREFIX}${message.originStream}`, ...PERSONAL_COPY_PARTS];
  const stored = await store.getParts(
    shown.flatMap((user) => names.map((part) => ({ key: userActorKey(realm, toUserId(user)), part }))),
  );
  return shown.filter((user, i) => {
    const parts = new Map<string, Json>();
    names.forEach((name, n) => {
      const part = stored[i * names.length + n];
      if (part) parts.set(name, part.value);
    });
    const flags = new UserMessageFlagsView(user, parts);
    const copy = computeMessageCopyState(
      message,
      user,
      (stream) => memberships.get(stream)?.get(user),
      flags.movesBeforePersonalCopy(message.id),
    );
    return copy.has && flags.isRead({ message, copy: true, gained: copy.gained });
  });
}
