/**
 * Emoji of reactions and statuses, and the custom emoji of an organization (messages.md § Reactions, realm.md § Custom
 * emoji). Emoji within message text are the business of `#domain/markdown`, which also has the table of Unicode emoji.
 *
 * - `emoji.ts`: `completeEmojiFields` completes the fields of a request, `requireUsableEmoji` decides whether new
 *   reactions may use the emoji, `makeEmojiApiFields` and `formatUserStatusForApi` make the fields that clients get.
 *   The product's own emoji is declared here too.
 * - `custom.ts`: names of custom emoji, their pictures (decoded, scaled and encoded again), and their list for clients.
 *
 * Invariants: new reactions store the canonical code of an emoji; older ones may have another spelling, so codes are
 * compared with `toComparableEmojiCode`. The product's emoji is stored under one name and sent under the name that the
 * server is configured for. An active custom emoji shadows a Unicode emoji of the same name. Refusals are thrown as
 * `ApiError`.
 *
 * Actors, directory, frontend, the messages folder and the server's wiring may import this folder.
 */
export {
  customEmojiImagePath,
  emojiStillImagePath,
  formatCustomEmojiForApi,
  MAX_CUSTOM_EMOJI,
  MAX_CUSTOM_EMOJI_NAME_CHARACTERS,
  makeEmojiImageFromUpload,
  toCheckedCustomEmojiName,
} from './custom.js';
export {
  completeEmojiFields,
  formatUserStatusForApi,
  isKnownEmojiCode,
  makeEmojiApiFields,
  productEmojiForm,
  requireEmojiByName,
  requireUsableEmoji,
  toComparableEmojiCode,
  toStoredEmojiType,
} from './emoji.js';
