import type { JsonObject } from '#base';

/** An emoji in stored state. */
export interface EmojiReference extends JsonObject {
  readonly name: string;
  readonly code: string;
  /** Kind of emoji; 'extra' is the product's own emoji, neither Unicode nor custom (api/README.md § Names). */
  readonly type: 'unicode_emoji' | 'realm_emoji' | 'extra';
}

/**
 * Names of the emoji that is neither Unicode nor the organization's: the product's own name, and the name that existing
 * clients know. Both are accepted everywhere; `--emoji-names` decides which one the server sends.
 */
export type ProductEmojiName = 'conclave' | 'zulip';

/** The product's own emoji with the name under which this server sends it. */
export interface ProductEmoji {
  /** Name of the emoji, which is also its code. */
  readonly name: ProductEmojiName;
  /** `reaction_type` under which the emoji is sent. */
  readonly type: 'service_extra_emoji' | 'zulip_extra_emoji';
  /** Path of the emoji's picture. */
  readonly url: string;
}
