export { emojiImagePath, emojiStillPath, presentCustomEmoji } from './custom.js';
export {
  checkEmoji,
  comparableEmojiCode,
  type EmojiInput,
  emojiByName,
  isEmoji,
  presentEmoji,
  type ResolvedEmoji,
  resolveEmoji,
  storedEmojiType,
} from './emoji.js';
export { extraEmoji, isExtraName } from './extra.js';
export { emojiImage } from './image.js';
export { checkEmojiName } from './names.js';
