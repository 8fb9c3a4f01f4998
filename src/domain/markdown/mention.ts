/** Mentions of people, groups and everybody (markdown.md § Mentions). */
import type { MarkdownContext, MarkdownUser } from './context.js';
import { type InlineRule, type InlineState, patternRule } from './inline.js';
import { leaf, type Token } from './tokens.js';

export const WILDCARDS: ReadonlySet<string> = new Set(['all', 'everyone', 'stream']);

/** What may stand before a mention or a stream link: the start of the text, white space, an opening bracket, a quote. */
export const BEFORE = `(?<![^\\s'"({[/<])`;

/** Also for finding candidates in raw text. Captures: the mark of silence, the name as written. */
export const USER_MENTION = new RegExp(`${BEFORE}@(_?)\\*\\*([^*]+)\\*\\*`, 'g');
export const GROUP_MENTION = new RegExp(`${BEFORE}@(_?)\\*([^*]+)\\*`, 'g');

/** `Name|9` or `|9`. */
export function splitId(written: string): { name: string; id: number } | null {
  const found = /^(.*)\|(\d{1,15})$/s.exec(written);
  return found ? { name: found[1] ?? '', id: Number(found[2]) } : null;
}

/** Of several people of that name, the one who was there first. */
function findUser(written: string, context: MarkdownContext): MarkdownUser | undefined {
  const exact = splitId(written);
  if (exact) {
    const user = context.userById(exact.id);
    return user && (exact.name === '' || exact.name === user.name) ? user : undefined;
  }
  return [...context.usersNamed(written)].sort((a, b) => a.id - b.id)[0];
}

export const userMention: InlineRule = patternRule('@', USER_MENTION, ([, mark, written = ''], inline) => {
  const name = inline.source(written);
  if (WILDCARDS.has(name)) {
    return mentionTokens('user-mention', { 'data-user-id': '*' }, name, mark !== '', inline, (silent) => ({
      kind: 'wildcard',
      silent,
    }));
  }
  const user = findUser(name, inline.context);
  if (!user) return null;
  return mentionTokens(
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
});

export const groupMention: InlineRule = patternRule('@', GROUP_MENTION, ([, mark, written = ''], inline) => {
  const group = inline.context.groupByName(inline.source(written));
  if (!group) return null;
  const attrs = { 'data-user-group-id': String(group.id) };
  return mentionTokens('user-group-mention', attrs, group.name, mark !== '', inline, (silent) => ({
    kind: 'group',
    id: group.id,
    silent,
  }));
});

function mentionTokens(
  name: string,
  attrs: Record<string, string>,
  text: string,
  marked: boolean,
  { quoted }: InlineState,
  meaning: (silent: boolean) => Parameters<typeof leaf>[3],
): Token[] {
  const silent = marked || quoted;
  const named = { class: silent ? `${name} silent` : name, ...attrs };
  return leaf('span', named, silent ? text : `@${text}`, meaning(silent));
}
