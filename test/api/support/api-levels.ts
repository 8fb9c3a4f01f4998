/** Addresses that today's mobile client knows, or gets in the state. */
export const EMOJI_DATA_PATH = '/static/emoji/emoji_api.json';
export const EXTRA_EMOJI_PICTURE_PATH = '/static/generated/emoji/images/emoji/unicode/zulip.png';
