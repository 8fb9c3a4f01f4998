/** An integration: the form of an incoming webhook's payload, and the message that is made of it. */
import type { Json } from '#base';

/** The message of a payload. The topic counts where the address of the webhook names none. */
export interface IntegrationMessage {
  readonly topic: string;
  /** Markdown; it may be longer than a message. */
  readonly content: string;
}

export interface IncomingIntegration {
  /** Name in the address of the webhook and in `service_name` of bots. */
  readonly name: string;
  readonly displayName: string;
  /**
   * Makes the message of a payload. It has no side effects and never throws.
   * @returns undefined for a payload that another program has made, or that shows nothing
   */
  readonly makeMessage: (payload: Json) => IntegrationMessage | undefined;
}
