/**
 * Completion of what is typed in texts of messages: people, groups, streams, topics, emoji, languages of code blocks,
 * commands. The compose box and the box that edits a message share it; it comes with the chunk of either.
 *
 *     const completion = useTextCompletion(area, conversation, applyEdit);
 *     <textarea ref={area} {...completion.attributes} onInput={(event) => completion.look(event.currentTarget)}
 *       onKeyDown={(event) => completion.takeKey(event) || …} /> {completion.list}
 *
 * - `trigger.ts` finds what is typed at the caret; `sources.ts` what it may be, ranked by `word-index.ts`.
 * - `list.tsx` shows it; `combo.tsx` is a line of text with such a list, for the address of a message.
 * - `insertion.ts` has the texts that are put in; `emoji-table.ts` the emoji of the organization, with a search.
 *
 * A keystroke costs a binary search, however many people there are. No chunk of the first view imports this folder.
 */
export { SuggestionCombobox } from './combo.js';
export { type Emoji, type EmojiTable, emojiTable, loadUnicodeEmoji } from './emoji-table.js';
export { findNotifyingMentions, hasWildcardMention } from './insertion.js';
export {
  findKnownTopicsAndLoadAll,
  findMatchingPeople,
  findMatchingStreams,
  makePersonSuggestion,
  makeStreamSuggestion,
  makeTopicSuggestion,
} from './sources.js';
export { useTextCompletion } from './use-completion.js';
