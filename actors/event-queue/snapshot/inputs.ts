/** The inputs from which the sections of a registration's snapshot are made. */
import type { FileLimits } from '#domain/files';
import type { UnsealText } from '#domain/people';
import type { Subscription } from '#domain/streams';
import type { RegisterArgs } from '#model/commands';
import type { DirectoryBot, DirectoryUser, DirectoryView } from '#model/records';

export interface SnapshotInputs {
  readonly user: DirectoryUser;
  readonly directory: DirectoryView;
  readonly args: RegisterArgs;
  readonly now: number;
  readonly limits: FileLimits;
  /** Notifications are pushed to mobile devices. */
  readonly pushesToDevices: boolean;
  /** Decrypts the API keys of bots that the user may read. */
  readonly unseal: UnsealText;
  /** Collects bots whose API key could not be decrypted. */
  readonly unreadable: Set<DirectoryBot>;
  readonly subscriptions: readonly Subscription[];
  /** Subscribers by stream id; empty unless the client asked for them. */
  readonly subscribers: ReadonlyMap<number, readonly number[]>;
}

/** True if the client asked for a section of the snapshot. */
export type IsSectionWanted = (section: string) => boolean;
