import type { JsonObject } from '#base';

export interface SendAgainArgs extends JsonObject {
  readonly stream: number;
  readonly message: SendArgs;
}

export interface SendArgs extends Said {
  /** The sender's own copy is read: the client is one that a person looks at. */
  readonly human: boolean;
  readonly queue_id: string | null;
  readonly local_id: string | null;
  /** As sent. */
  readonly widget: string | null;
}

/** What somebody says. */
export interface Said extends JsonObject {
  /** Normalised: trimmed, cut to the limit. */
  readonly content: string;
  /** Checked and cut; '' for direct messages. */
  readonly topic: string;
  /** Base URL under which the sender reached the organization. */
  readonly origin: string;
}
