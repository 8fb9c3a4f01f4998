export { AlertWords, matchAlertWords } from './alert-words.js';
export type {
  CustomEmoji,
  KnownGroup,
  KnownStream,
  KnownUser,
  Linkifier,
  MarkdownContext,
  MarkdownLookups,
  MarkdownSettings,
} from './context.js';
export { canonicalEmojiCode, emojiCode, emojiCodeNames, isEmojiName } from './emoji-table.js';
export { isUsable as isUsableLinkifier } from './linkifier.js';
export { type FieldErrors, linkifierErrors } from './linkifier-check.js';
export { type RenderThreadOptions, RenderThreads } from './off-thread.js';
export { apology, CannotRender, htmlOrNone, type Mentions, type Rendered, renderMarkdown } from './render.js';
export { messageUrl } from './stream-link.js';
export { type TopicLink, topicLinks } from './topic-links.js';
