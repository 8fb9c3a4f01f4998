/** The inputs from which the sections of a registration's snapshot are made. */
import type { FileUploadLimits } from '#domain/files';
import type { TryUnsealText } from '#domain/people';
import type { Subscription } from '#domain/streams';
import type { RegisterEventQueueArgs } from '#model/commands';
import type { DirectoryBot, DirectoryUser, DirectoryView } from '#model/records';

export interface RegistrationSnapshotInputs {
  readonly user: DirectoryUser;
  readonly directory: DirectoryView;
  readonly args: RegisterEventQueueArgs;
  readonly nowMs: number;
  readonly fileUploadLimits: FileUploadLimits;
  /** Notifications are pushed to mobile devices. */
  readonly pushesToDevices: boolean;
  /** Decrypts the API keys of bots that the user may read. Not used for the web client, which gets no keys. */
  readonly tryUnsealText: TryUnsealText;
  /** Collects bots whose API key could not be decrypted. */
  readonly botsWithUnreadableKey: Set<DirectoryBot>;
  readonly subscriptions: readonly Subscription[];
  /** Subscribers by stream id; empty unless the client asked for them. */
  readonly subscriberIdsByStream: ReadonlyMap<number, readonly number[]>;
}

/** True if the client asked for a section of the snapshot. */
export type IsSnapshotSectionWanted = (section: string) => boolean;
