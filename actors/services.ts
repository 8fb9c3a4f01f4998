/** Services for inputs of commands and for sidecars; src/app/server/node.ts makes them. */

import type { Clock } from '#base/clock';
import type { RealmEventFeeds, RecipientFieldResolver } from '#delivery';
import type { FileUploadLimits } from '#domain/files';
import type { WebPageHeadFetcher } from '#domain/link-previews';
import type { MailDispatcher } from '#domain/mail';
import type { MessageRenderer } from '#domain/messages';
import type { DisposableDomainPredicate } from '#domain/people';
import type { PushNotificationSender } from '#domain/push';
import type { PasswordStrengthEstimator, ServerCryptography } from '#domain/secrets';
import type { WebhookCaller } from '#domain/webhooks';
import type { BlobStorage } from '#ports/blobs';
import type { CommandInputSources as SourcesWith } from '#runtime';

export interface ActorServices {
  readonly clock: Clock;
  /** Returns a random number in [0, 1). */
  readonly random: () => number;
  /** Time until a waiting poll is answered with a heartbeat, ms; jitter adds up to a fifth. */
  readonly heartbeatMs: number;
  /** Maximum number of event queues per account. */
  readonly maxQueues: number;
  readonly secrets: ServerCryptography;
  readonly passwords: PasswordStrengthEstimator;
  readonly disposable: DisposableDomainPredicate;
  readonly renderer: MessageRenderer;
  readonly blobs: BlobStorage;
  readonly mail: MailDispatcher;
  readonly limits: FileUploadLimits;
  readonly feeds: RealmEventFeeds;
  readonly webhooks: WebhookCaller;
  readonly push: PushNotificationSender;
  /** Fetches linked pages for previews. */
  readonly pages: WebPageHeadFetcher;
  readonly personal: RecipientFieldResolver;
}

/** Sources from which the inputs of a command are read by I/O, with the services of this application. */
export type ActorInputSources = SourcesWith<ActorServices>;
