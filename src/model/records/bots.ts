/** Records of bots. */
import type { StreamId, UserId } from '#model';

/** The data of a bot besides its account. */
export interface DirectoryBot {
  readonly user: UserId;
  /** API key, encrypted under the server secret. The owner and administrators may read it. */
  readonly keySealed: string;
  /** Stream of messages that the bot sends without naming a stream. */
  readonly sendingStream: StreamId | null;
  /** Stream to which the bot's event queues are narrowed. */
  readonly eventsStream: StreamId | null;
  /** The bot's event queues receive the messages of all public streams. */
  readonly allPublicStreams: boolean;
  /** Outgoing webhooks only. */
  readonly service: BotService | null;
  readonly config: { readonly [key: string]: string };
}

/** The service that an outgoing webhook bot calls. */
export interface BotService {
  /** URL as given; '' if none was given. */
  readonly baseUrl: string;
  /** 1 generic, 2 for services that expect the form of Slack's outgoing webhooks. */
  readonly interface: number;
  /** Sent along with each call, encrypted under the server secret. */
  readonly tokenSealed: string;
}
