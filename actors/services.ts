/** The services that inputs of commands and sidecars may use; src/server/node.ts makes them. */
import type { Blobs } from '../src/blobs/index.js';
import type { Clock } from '../src/clock/index.js';
import type { Feeds, RecipientFields } from '../src/events/index.js';
import type { Limits } from '../src/files/index.js';
import type { PostOffice } from '../src/mail/index.js';
import type { MessageRenderer } from '../src/messages/index.js';
import type { DisposableDomains } from '../src/people/index.js';
import type { InputSources as SourcesWith } from '../src/runtime/index.js';
import type { PasswordStrength, Secrets } from '../src/secrets/index.js';
import type { WebhookCaller } from '../src/webhooks/index.js';

export interface ActorServices {
  readonly clock: Clock;
  /** In [0, 1). */
  readonly random: () => number;
  /** A waiting poll is answered with a heartbeat after this long, ms, and up to a fifth more. */
  readonly heartbeatMs: number;
  /** Event queues that one account may have. */
  readonly maxQueues: number;
  readonly secrets: Secrets;
  readonly passwords: PasswordStrength;
  readonly disposable: DisposableDomains;
  readonly renderer: MessageRenderer;
  readonly blobs: Blobs;
  readonly mail: PostOffice;
  readonly limits: Limits;
  readonly feeds: Feeds;
  readonly webhooks: WebhookCaller;
  readonly personal: RecipientFields;
}

/** The I/O of a command's inputs, with the services of this application. */
export type InputSources = SourcesWith<ActorServices>;
