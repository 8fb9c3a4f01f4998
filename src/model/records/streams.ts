/** Records of streams in the directory. */
import type { StreamId, UserId } from '#model';

export interface DirectoryStream {
  readonly id: StreamId;
  readonly recipient: number;
  readonly name: string;
  readonly description: string;
  readonly renderedDescription: string;
  /** Creation time of the stream, seconds since 1970. */
  readonly created: number;
  readonly creator: UserId;
  readonly inviteOnly: boolean;
  readonly historyPublic: boolean;
  readonly webPublic: boolean;
  /** Users who may post: 1 everyone, 2 admins, 3 full members, 4 moderators. */
  readonly postPolicy: number;
  readonly retentionDays: number | null;
  readonly canRemoveGroup: number;
  /** Id of the first message that was ever sent to the stream; null while there is none. */
  readonly firstMessage: number | null;
  readonly archived: boolean;
  /** True if new users, except guests, are subscribed to the stream. */
  readonly isDefault: boolean;
}

/** A named group of streams that is offered to new users as a whole. */
export interface DirectoryDefaultStreamGroup {
  readonly id: number;
  readonly name: string;
  readonly description: string;
  /** Ids of the group's streams in no particular order; archived ones may still be among them. */
  readonly streams: readonly StreamId[];
}
