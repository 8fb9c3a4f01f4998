/** Links in the topic of a message, the API's `topic_links` (markdown.md § Topic links). */
import { findBareLinks } from './bare-link.js';
import { type MarkdownLinkifier, sortLinkifiersById } from './context.js';
import { findLinkifierMatches, LinkifierSearchBudget } from './linkifier.js';
import { toSafeLinkUrl } from './url.js';

interface TopicLink {
  readonly text: string;
  readonly url: string;
}

/** Matches the characters that separate the words of a topic. */
const TOPIC_WORD_SEPARATOR_PATTERN = /[\s!;?),'"]+/;

/**
 * Finds links in the order of the topic. Linkifiers, by id, come before addresses; links that overlap earlier ones are
 * dropped.
 */
export function findTopicLinks(written: string, linkifiers: readonly MarkdownLinkifier[]): TopicLink[] {
  const topic = written.toWellFormed();
  const found: (TopicLink & { readonly at: number })[] = [];
  const add = (at: number, text: string, url: string): void => {
    const end = at + text.length;
    if (!found.some((other) => at < other.at + other.text.length && other.at < end)) found.push({ at, text, url });
  };
  const budget = new LinkifierSearchBudget();
  for (const linkifier of sortLinkifiersById(linkifiers)) {
    for (const { at, text, url } of findLinkifierMatches(topic, linkifier, budget)) {
      if (toSafeLinkUrl(url) !== undefined) add(at, text, url);
    }
  }
  let from = 0;
  for (const word of topic.split(TOPIC_WORD_SEPARATOR_PATTERN)) {
    const at = topic.indexOf(word, from);
    from = at + word.length;
    const link = word === '' ? undefined : findBareLinks(word, false)[0];
    if (link?.at !== 0) continue;
    const text = word.slice(0, link.end);
    if (!link.mail) add(at, text, /^[a-z]+:\/\//.test(text) ? text : `https://${text}`);
  }
  return found.sort((a, b) => a.at - b.at).map(({ text, url }) => ({ text, url }));
}
