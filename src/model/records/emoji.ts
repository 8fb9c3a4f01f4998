/** Custom emoji, and the forms in which records and views name any emoji. */
import type { JsonObject } from '#base';
import type { UserId } from '#model';

export interface DirectoryEmoji {
  readonly id: number;
  readonly name: string;
  /** Path under the organization's base URL. */
  readonly url: string;
  readonly stillUrl: string | null;
  readonly deactivated: boolean;
  readonly author: UserId | null;
}

/** An emoji as it is stored in reactions and statuses. */
export interface EmojiRef extends JsonObject {
  readonly name: string;
  readonly code: string;
  /** 'extra' is the emoji that is neither Unicode nor the organization's (README.md § Names). */
  readonly type: 'unicode_emoji' | 'realm_emoji' | 'extra';
}

/** The two names of the extra emoji: the product's, and the one that existing clients know. */
export type EmojiNames = 'conclave' | 'zulip';

/** The extra emoji in the form that this server sends. */
export interface ExtraEmoji {
  /** Also its code. */
  readonly name: EmojiNames;
  /** Its `reaction_type`. */
  readonly type: 'service_extra_emoji' | 'zulip_extra_emoji';
  /** Path of its picture. */
  readonly url: string;
}
