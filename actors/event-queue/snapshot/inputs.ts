/** Arguments of a registration, and the inputs from which the sections of its snapshot are made. */
import type { JsonObject } from '#base';
import type { FileLimits } from '#domain/files';
import type { Unseal } from '#domain/people';
import type { Subscription } from '#domain/streams';
import type { DirectoryBot, DirectoryUser, DirectoryView } from '#model/records';
import type { QueueOptions } from '../state.js';

export interface RegisterArgs extends JsonObject {
  readonly options: QueueOptions;
  /** State sections to send; null = all, [] = none. */
  readonly fetch: readonly string[] | null;
  readonly queue_id: string;
  readonly lifespanMs: number;
  readonly origin: string;
  /** Base URL of the organization. */
  readonly site: string;
  /** The configuration allows streams that are open to the web. */
  readonly webPublicStreams: boolean;
}

export interface SnapshotInputs {
  readonly user: DirectoryUser;
  readonly directory: DirectoryView;
  readonly args: RegisterArgs;
  readonly now: number;
  readonly limits: FileLimits;
  /** Decrypts the API keys of bots, for users who may read them. */
  readonly unseal: Unseal;
  /** Collects bots whose API key could not be decrypted. */
  readonly unreadable: Set<DirectoryBot>;
  readonly subscriptions: readonly Subscription[];
  /** Stream → subscribers; empty unless the client asked for them. */
  readonly subscribers: ReadonlyMap<number, readonly number[]>;
}

/** True if the client asked for the section. */
export type Wanted = (section: string) => boolean;
