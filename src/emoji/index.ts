export { checkEmojiName } from './names.js';
export * from './present.js';
