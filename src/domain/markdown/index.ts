/**
 * Rendering of message text into HTML: a Markdown dialect (markdown.md) on the rule chain of markdown-it.
 *
 * `render.ts` is the entry; `off-thread.ts` calls it in a worker thread (`render-worker.ts`) for long texts, with a
 * snapshot (`snapshot.ts`) in place of the context's functions. The steps of `dialect.ts`:
 *
 * 1. `normalize.ts` cleans the text and its lines.
 * 2. `fence.ts` cuts out fenced blocks; `code.ts` and `math.ts` render them (`formula-macros.ts`: macros of a formula).
 * 3. `blocks.ts` parses the rest into a tree (`tree.ts`): `list.ts`, `quote.ts`, `table.ts`; the tree becomes
 *    `tokens.ts`.
 * 4. `inline.ts` applies one rule per inline construct, by priority: mentions, links, math, emoji and so on.
 * 5. `preview.ts` adds pictures and videos; `html.ts` serialises.
 *
 * Invariants: rendering does no I/O and depends only on the text and the context (`context.ts`). A user, group or link
 * counts only if a token shows it. Every construct takes linear time or has a limit; a text beyond a limit is shown as
 * source, or refused with MarkdownRenderError.
 *
 * `topic-links.ts`, `alert-words.ts` and `linkifier-check.ts` serve topics, alert words and stored linkifiers;
 * `outside-code.ts` changes source texts. Actors, frontend and all domain folders except pictures and secrets may
 * import this folder.
 */

export type { MarkdownRenderResult, MentionTargets } from '#model';
export { AlertWordMatcher, listOccurringAlertWords } from './alert-words.js';
export {
  type CompleteMarkdownContext,
  completeMarkdownContext,
  type MarkdownContext,
  type MarkdownCustomEmoji,
} from './context.js';
export {
  canonicalEmojiNamesByCode,
  emojiCodeOfNameOrAlias,
  findCanonicalEmojiCode,
  isCanonicalEmojiName,
} from './emoji-table.js';
export { escapePlainTextForHtml } from './html.js';
export { type FieldErrorMessages, findLinkifierErrors } from './linkifier-check.js';
export { MarkdownRenderer } from './off-thread.js';
export { mapTextOutsideCode } from './outside-code.js';
export {
  MarkdownRenderError,
  makeRenderFailureHtml,
  renderContextFreeMarkdownOrEmpty,
  renderMarkdown,
} from './render.js';
export { makeStreamUrl, makeTopicMessageUrl } from './stream-link.js';
export { findTopicLinks } from './topic-links.js';
