import type { JsonObject } from '#base';

/** As it is stored. */
export interface EmojiRef extends JsonObject {
  readonly name: string;
  readonly code: string;
  /** 'extra' is the emoji that is neither Unicode nor the organization's (api/README.md § Names). */
  readonly type: 'unicode_emoji' | 'realm_emoji' | 'extra';
}

/**
 * The emoji that is neither Unicode nor the organization's. It has two names: the product's, and the one that existing
 * clients know. Both are accepted everywhere; which one goes out is a setting of the server (`--emoji-names`).
 */
export type EmojiNames = 'conclave' | 'zulip';

export interface ExtraEmoji {
  /** Also its code. */
  readonly name: EmojiNames;
  /** Its `reaction_type`. */
  readonly type: 'service_extra_emoji' | 'zulip_extra_emoji';
  /** Path of its picture. */
  readonly url: string;
}
