/**
 * The emoji that is neither Unicode nor the organization's. It has two names: the product's, and the one that existing
 * clients know. Both are accepted everywhere; which one goes out is a setting of the server (`--emoji-names`).
 */
import type { EmojiNames, ExtraEmoji } from '#model';

const FORMS: Readonly<Record<EmojiNames, ExtraEmoji>> = {
  conclave: { name: 'conclave', type: 'service_extra_emoji', url: '/static/emoji/conclave.png' },
  zulip: { name: 'zulip', type: 'zulip_extra_emoji', url: '/static/generated/emoji/images/emoji/unicode/zulip.png' },
};

/** How it goes out. */
export const extraEmoji = (names: EmojiNames): ExtraEmoji => FORMS[names];

const forms = Object.values(FORMS);

export const isExtraName = (name: string): boolean => forms.some((form) => form.name === name);
export const isExtraType = (type: string): boolean => forms.some((form) => form.type === type);
