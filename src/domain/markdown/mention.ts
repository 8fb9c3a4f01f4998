/** Mentions of users, groups and everybody (markdown.md § Mentions). */
import type { MarkdownContext, MarkdownUser } from './context.js';
import { type InlineMarkdownRule, type InlineMarkdownRuleTools, makePatternMarkdownRule } from './inline.js';
import { makeTextElementTokens, type Token } from './tokens.js';

const WILDCARD_MENTION_NAMES: ReadonlySet<string> = new Set(['all', 'everyone', 'stream']);
/** Names that mention everybody, or a topic, in texts of newer clients; in other texts they are names of users. */
const NEWER_WILDCARD_MENTION_NAME = 'channel';
const TOPIC_MENTION_NAME = 'topic';

/**
 * Lookbehind before mentions and stream links: the start of the text, white space, a quote, an opening bracket or a
 * slash.
 */
export const MENTION_BOUNDARY_LOOKBEHIND = `(?<![^\\s'"({[/<])`;

/** This pattern and GROUP_MENTION_PATTERN capture the mark `_` of a silent mention, and the name as written. */
const USER_MENTION_PATTERN = new RegExp(`${MENTION_BOUNDARY_LOOKBEHIND}@(_?)\\*\\*([^*]+)\\*\\*`, 'g');
const GROUP_MENTION_PATTERN = new RegExp(`${MENTION_BOUNDARY_LOOKBEHIND}@(_?)\\*([^*]+)\\*`, 'g');

/** Splits a mention's name from its id: `Name|9` or `|9`. */
function splitMentionNameAndId(written: string): { name: string; id: number } | null {
  const found = /^(.*)\|(\d{1,15})$/s.exec(written);
  return found ? { name: found[1] ?? '', id: Number(found[2]) } : null;
}

/** Finds the mentioned user by name or id. If several users have the name, the oldest account is taken. */
function findMentionedUser(written: string, context: MarkdownContext): MarkdownUser | undefined {
  const exact = splitMentionNameAndId(written);
  if (exact) {
    const user = context.userById(exact.id);
    return user && (exact.name === '' || exact.name === user.name) ? user : undefined;
  }
  return [...context.usersNamed(written)].sort((a, b) => a.id - b.id)[0];
}

export const userMentionMarkdownRule: InlineMarkdownRule = makePatternMarkdownRule(
  '@',
  USER_MENTION_PATTERN,
  ([, mark, written = ''], inline) => {
    const name = inline.source(written);
    const { newerMentions } = inline.context;
    if (newerMentions && name === TOPIC_MENTION_NAME) {
      return makeMentionTokens('topic-mention', {}, name, mark !== '', inline, (silent) => ({ kind: 'topic', silent }));
    }
    if (WILDCARD_MENTION_NAMES.has(name) || (newerMentions && name === NEWER_WILDCARD_MENTION_NAME)) {
      return makeMentionTokens('user-mention', { 'data-user-id': '*' }, name, mark !== '', inline, (silent) => ({
        kind: 'wildcard',
        silent,
      }));
    }
    const user = findMentionedUser(name, inline.context);
    if (!user) return null;
    return makeMentionTokens(
      'user-mention',
      { 'data-user-id': String(user.id) },
      user.name,
      mark !== '',
      inline,
      (silent) => ({
        kind: 'user',
        id: user.id,
        silent,
      }),
    );
  },
);

export const groupMentionMarkdownRule: InlineMarkdownRule = makePatternMarkdownRule(
  '@',
  GROUP_MENTION_PATTERN,
  ([, mark, written = ''], inline) => {
    const group = inline.context.groupByName(inline.source(written));
    if (!group) return null;
    const attrs = { 'data-user-group-id': String(group.id) };
    return makeMentionTokens('user-group-mention', attrs, group.name, mark !== '', inline, (silent) => ({
      kind: 'group',
      id: group.id,
      silent,
    }));
  },
);

function makeMentionTokens(
  name: string,
  attrs: Record<string, string>,
  text: string,
  marked: boolean,
  { quoted }: InlineMarkdownRuleTools,
  meaning: (silent: boolean) => Parameters<typeof makeTextElementTokens>[3],
): Token[] {
  const silent = marked || quoted;
  const named = { class: silent ? `${name} silent` : name, ...attrs };
  return makeTextElementTokens('span', named, silent ? text : `@${text}`, meaning(silent));
}
