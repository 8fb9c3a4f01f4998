import type { ExtraEmoji } from '#model';
export type EmojiNames = 'conclave' | 'zulip';

const FORMS: Readonly<Record<EmojiNames, ExtraEmoji>> = {
  conclave: { name: 'conclave', type: 'service_extra_emoji', url: '/static/emoji/conclave.png' },
  zulip: { name: 'zulip', type: 'zulip_extra_emoji', url: '/static/generated/emoji/images/emoji/unicode/zulip.png' },
};

/** How it goes out. */
export const extraEmoji = (names: EmojiNames): ExtraEmoji => FORMS[names];

const forms = Object.values(FORMS);

export const isExtraName = (name: string): boolean => forms.some((form) => form.name === name);
export const isExtraType = (type: string): boolean => forms.some((form) => form.type === type);
