/** What bots have beside their accounts. */
import type { StreamId, UserId } from '#model';

/** What a bot has beside its account. */
export interface DirectoryBot {
  readonly user: UserId;
  /** API key, encrypted under the server secret: its owner and administrators may read it. */
  readonly keySealed: string;
  /** Where its messages go that name no stream. */
  readonly sendingStream: StreamId | null;
  /** What its queues are narrowed to. */
  readonly eventsStream: StreamId | null;
  /** Its queues get the messages of all public streams. */
  readonly allPublicStreams: boolean;
  /** Outgoing webhooks only. */
  readonly service: BotService | null;
  readonly config: { readonly [key: string]: string };
}

/** Where an outgoing webhook bot is told of messages. */
export interface BotService {
  /** As given, '' where nothing was. */
  readonly baseUrl: string;
  /** 1 generic, 2 for services that expect the form of Slack's outgoing webhooks. */
  readonly interface: number;
  /** Sent along with each call, encrypted under the server secret. */
  readonly tokenSealed: string;
}
