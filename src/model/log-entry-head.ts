/** Makes the head of a log entry: the facts by which a reader decides to skip it without decoding its items. */
import { LOG_ENTRY_HEAD_FLAGS, type LogEntryHead, type LogItem, type LogItemGroup } from './log-entry.js';

/** Number of users above which a head says `anyUser` instead of naming them. */
const MAX_USERS_IN_HEAD = 64;

export function makeLogEntryHead(groups: readonly LogItemGroup[]): LogEntryHead {
  const users = new Set<number>();
  const versionByStream = new Map<number, number>();
  let flags = 0;
  let newestStreamMessage: LogEntryHead['newestStreamMessage'] = [];
  const need = (stream: number, version: number): void =>
    void versionByStream.set(stream, Math.max(versionByStream.get(stream) ?? 0, version));
  for (const { items } of groups) {
    for (const item of items) {
      flags |= flagsOfItem(item);
      if (item.t !== 'message' && item.t !== 'event') continue;
      const { to } = item;
      for (const user of to.users ?? []) users.add(user);
      if (to.stream !== undefined) need(to.stream, to.mv ?? 0);
      if (item.t !== 'message') continue;
      const { id, stream_id } = item.message.common as { readonly id: number; readonly stream_id?: number };
      if (stream_id !== undefined) newestStreamMessage = [stream_id, id];
    }
  }
  const { anyUser } = LOG_ENTRY_HEAD_FLAGS;
  const areUsersNamed = users.size <= MAX_USERS_IN_HEAD;
  return {
    flags: areUsersNamed ? flags : flags | anyUser,
    users: areUsersNamed ? [...users] : [],
    streams: [...versionByStream].flat(),
    newestStreamMessage,
  };
}

function flagsOfItem(item: LogItem): number {
  const { directory, messageChanges, messages, deliveryState, anyUser, allPublicStreams } = LOG_ENTRY_HEAD_FLAGS;
  switch (item.t) {
    case 'directory':
      return directory;
    case 'members':
      return deliveryState | messageChanges;
    case 'carrying':
      return deliveryState | messageChanges | messages;
    default: {
      const { to } = item;
      const audience =
        (to.role !== undefined || to.moved || to.lostByMove ? anyUser : 0) | (to.publicStream ? allPublicStreams : 0);
      if (item.t === 'message') {
        const { stream_id } = item.message.common as { readonly stream_id?: number };
        return audience | messages | (item.first ? directory : 0) | (stream_id === undefined ? messageChanges : 0);
      }
      const { type } = item.event;
      const changes = type === 'delete_message' || type === 'update_message';
      return changes ? audience | messageChanges | messages : audience;
    }
  }
}
