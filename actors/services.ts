/** Services for inputs of commands and for sidecars; src/app/server/node.ts makes them. */

import type { Clock } from '#base/clock';
import type { RealmEventFeeds, RecipientFieldResolver } from '#delivery';
import type { FileUploadLimits } from '#domain/files';
import type { WebPageHeadFetcher } from '#domain/link-previews';
import type { MailDispatcher } from '#domain/mail';
import type { MessageRenderer } from '#domain/messages';
import type { IsDisposableDomain } from '#domain/people';
import type { PushNotificationSender } from '#domain/push';
import type { PasswordStrengthChecker, ServerCryptography } from '#domain/secrets';
import type { WebhookCaller } from '#domain/webhooks';
import type { ProductEmoji, RealmId } from '#model';
import type { BlobStorage } from '#ports/blobs';
import type { CommandInputSources as SourcesWith } from '#runtime';

/** Writes data exports in the background. */
export interface DataExporter {
  /**
   * Exports the public data of an organization, and stores the archive as a blob of this organization.
   * @throws Error after which no blob is stored; the exporter has logged it
   */
  storePublicExport(realm: RealmId, blobName: string, signal: AbortSignal): Promise<void>;
}

export interface ActorServices {
  readonly clock: Clock;
  /** Returns a random number in [0, 1). */
  readonly random: () => number;
  /** Time until a waiting poll is answered with a heartbeat, ms; jitter adds up to a fifth. */
  readonly heartbeatMs: number;
  /** Maximum number of event queues per account. */
  readonly maxQueues: number;
  readonly secrets: ServerCryptography;
  readonly passwords: PasswordStrengthChecker;
  readonly disposable: IsDisposableDomain;
  readonly renderer: MessageRenderer;
  /** The product's own emoji in the form in which this server sends it. */
  readonly productEmoji: ProductEmoji;
  readonly blobs: BlobStorage;
  readonly mail: MailDispatcher;
  readonly limits: FileUploadLimits;
  readonly feeds: RealmEventFeeds;
  readonly webhooks: WebhookCaller;
  readonly push: PushNotificationSender;
  /** Fetches linked pages for previews. */
  readonly pages: WebPageHeadFetcher;
  readonly personal: RecipientFieldResolver;
  readonly exporter: DataExporter;
}

/** Sources from which the inputs of a command are read by I/O, with the services of this application. */
export type ActorInputSources = SourcesWith<ActorServices>;
