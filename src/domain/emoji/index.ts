export { emojiPicture, emojiStill, presentCustomEmoji } from './custom.js';
export {
  checkEmoji,
  type EmojiRef,
  emojiByName,
  emojiCodeOf,
  emojiType,
  type GivenEmoji,
  isEmoji,
  presentEmoji,
  type ResolvedEmoji,
  resolveEmoji,
} from './emoji.js';
export { type EmojiNames, type ExtraEmoji, extraEmoji, isExtraName } from './extra.js';
export { emojiImage } from './image.js';
export { checkEmojiName } from './names.js';
