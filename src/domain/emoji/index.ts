export { emojiPicture, emojiStill, presentCustomEmoji } from './custom.js';
export {
  checkEmoji,
  emojiByName,
  emojiCodeOf,
  emojiType,
  type GivenEmoji,
  isEmoji,
  presentEmoji,
  type ResolvedEmoji,
  resolveEmoji,
} from './emoji.js';
export { extraEmoji, isExtraName } from './extra.js';
export { emojiImage } from './image.js';
export { checkEmojiName } from './names.js';
