/** Services for inputs of commands and for sidecars; src/app/server/node.ts makes them. */

import type { Clock } from '#base/clock';
import type { RealmFeeds, RecipientFieldResolver } from '#delivery';
import type { FileLimits } from '#domain/files';
import type { PageFetcher } from '#domain/link-previews';
import type { MailDispatcher } from '#domain/mail';
import type { MessageRenderer } from '#domain/messages';
import type { IsDisposableDomain } from '#domain/people';
import type { PasswordStrengthEstimator, ServerCryptography } from '#domain/secrets';
import type { WebhookCaller } from '#domain/webhooks';
import type { Blobs } from '#ports/blobs';
import type { InputSources as SourcesWith } from '#runtime';

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
  readonly disposable: IsDisposableDomain;
  readonly renderer: MessageRenderer;
  readonly blobs: Blobs;
  readonly mail: MailDispatcher;
  readonly limits: FileLimits;
  readonly feeds: RealmFeeds;
  readonly webhooks: WebhookCaller;
  /** Fetches linked pages for previews. */
  readonly pages: PageFetcher;
  readonly personal: RecipientFieldResolver;
}

/** Sources from which the inputs of a command are read by I/O, with the services of this application. */
export type InputSources = SourcesWith<ActorServices>;
