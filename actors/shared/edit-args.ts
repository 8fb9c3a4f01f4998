import type { JsonObject } from '#base';

export type PropagateMode = 'change_one' | 'change_later' | 'change_all';

export interface EditArgs extends JsonObject {
  readonly message_id: number;
  /** As sent; null: not given. */
  readonly content: string | null;
  /** As sent but trimmed; null: not given. */
  readonly topic: string | null;
  /** null: not given. */
  readonly stream_id: number | null;
  readonly propagate_mode: PropagateMode;
  readonly notify_old: boolean;
  readonly notify_new: boolean;
  /** Base URL of the organization, for links. */
  readonly origin: string;
}
