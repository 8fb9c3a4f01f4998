/** The inputs from which the sections of its snapshot are made. */
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
  /** Decrypts the API keys of bots, for users who may read them. */
  readonly unseal: UnsealText;
  /** Collects bots whose API key could not be decrypted. */
  readonly unreadable: Set<DirectoryBot>;
  readonly subscriptions: readonly Subscription[];
  /** Stream → subscribers; empty unless the client asked for them. */
  readonly subscribers: ReadonlyMap<number, readonly number[]>;
}

/** True if the client asked for the section. */
export type IsSectionWanted = (section: string) => boolean;
