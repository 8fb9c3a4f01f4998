/** Records of bots. */
import type { StreamId, UserId } from '#model';

/** The data of a bot besides its account. */
export interface DirectoryBot {
  readonly user: UserId;
  /** API key, encrypted under the server secret. The owner and administrators may read it. */
  readonly keySealed: string;
  /** Stream to which the bot's messages go that name no stream; null: none. */
  readonly sendingStream: StreamId | null;
  /** Stream to which the bot's event queues are narrowed; null: none. */
  readonly eventsStream: StreamId | null;
  /** True if the bot's event queues receive the messages of all public streams. */
  readonly allPublicStreams: boolean;
  /** Service that an outgoing webhook bot calls; null for other bots. */
  readonly service: OutgoingWebhookService | null;
  readonly config: { readonly [key: string]: string };
}

/** The service that an outgoing webhook bot calls. */
export interface OutgoingWebhookService {
  /** URL of the service as given; '' if none was given. */
  readonly baseUrl: string;
  /** Format of the calls: 1 generic, 2 that of Slack's outgoing webhooks. */
  readonly interface: number;
  /** Token that is sent with each call, encrypted under the server secret. */
  readonly tokenSealed: string;
}
