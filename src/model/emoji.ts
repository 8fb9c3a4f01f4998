import type { JsonObject } from '#base';

/** An emoji in stored state. */
export interface EmojiRef extends JsonObject {
  readonly name: string;
  readonly code: string;
  /** 'extra' is the emoji that is neither Unicode nor the organization's (api/README.md § Names). */
  readonly type: 'unicode_emoji' | 'realm_emoji' | 'extra';
}

/**
 * Names of the emoji that is neither Unicode nor the organization's: the product's, and the one that existing clients
 * know. Both are accepted everywhere; `--emoji-names` decides which one the server sends.
 */
export type ExtraEmojiName = 'conclave' | 'zulip';

/** That emoji as this server names it. */
export interface ExtraEmoji {
  /** Also the code of the emoji. */
  readonly name: ExtraEmojiName;
  /** `reaction_type` of the emoji. */
  readonly type: 'service_extra_emoji' | 'zulip_extra_emoji';
  /** Path of the picture. */
  readonly url: string;
}
