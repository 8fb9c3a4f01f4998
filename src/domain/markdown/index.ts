export { AlertWords, matchAlertWords } from './alert-words.js';
export type {
  CustomEmoji,
  Linkifier,
  MarkdownContext,
  MarkdownGroup,
  MarkdownLookups,
  MarkdownSettings,
  MarkdownStream,
  MarkdownUser,
} from './context.js';
export { canonicalEmojiCode, emojiCode, emojiCodeNames, isEmojiName } from './emoji-table.js';
export { isUsableLinkifier } from './linkifier.js';
export { type FieldErrors, linkifierErrors } from './linkifier-check.js';
export { type RenderThreadOptions, RenderThreads } from './off-thread.js';
export {
  htmlOrEmpty,
  type Mentions,
  RenderError,
  type RenderResult,
  renderFailureNote,
  renderMarkdown,
} from './render.js';
export { messageUrl } from './stream-link.js';
export { type TopicLink, topicLinks } from './topic-links.js';
