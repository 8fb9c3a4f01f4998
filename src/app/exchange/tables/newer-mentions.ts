/**
 * Mentions that clients of newer API levels write (markdown.md § Mentions): `@**topic**` and `@**channel**`. Only the
 * exported HTML of a text says whether its author's client knew them; in other texts they are names of users.
 */
import { EXPORTED_MESSAGE_FLAG_BITS } from '../format/flag-bits.js';

const TOPIC_MENTION = 'class="topic-mention';
const CHANNEL_MENTION_PATTERN = /data-user-id="\*">@?channel</;
const MENTION_OF_EVERYBODY = 'data-user-id="*"';

/** True if the text of this exported HTML was written with mentions of newer clients. */
export const hasNewerMentions = (html: string): boolean =>
  html.includes(TOPIC_MENTION) || CHANNEL_MENTION_PATTERN.test(html);

/** Bits of `flags_mask` that stand for a mention of the topic in a message with this exported HTML; 0: none. */
export function topicMentionBitsOfHtml(html: string): number {
  if (!html.includes(TOPIC_MENTION)) return 0;
  const { topic_wildcard_mentioned, wildcard_mentioned } = EXPORTED_MESSAGE_FLAG_BITS;
  // Earlier versions of this server wrote the bit of a mention of everybody.
  return html.includes(MENTION_OF_EVERYBODY) ? topic_wildcard_mentioned : topic_wildcard_mentioned | wildcard_mentioned;
}
