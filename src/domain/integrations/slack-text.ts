/**
 * Translates Slack's markup into this server's Markdown. In code, only Slack's escapes (`&lt;`, `&gt;`, `&amp;`) are
 * undone.
 */
import { joinMarkdownBlocks } from './markdown-blocks.js';
import { joinNonEmpty } from './payload.js';
import { renameSlackEmoji } from './slack-emoji.js';

/** Users and channels behind the ids in a text. */
export interface SlackMentionLookups {
  user(id: string): SlackMentionedAccount | undefined;
  /** Name of the stream that the channel becomes. */
  channel(id: string): string | undefined;
  /** Markdown in place of a mention of everybody. */
  readonly everybody: string;
}

/** An account of the converted export. Several accounts may have the same name, so a mention has both. */
export interface SlackMentionedAccount {
  readonly id: number;
  readonly name: string;
}

export interface ConvertedSlackText {
  readonly content: string;
  /** Ids of the mentioned users. */
  readonly mentioned: readonly string[];
}

const SLACK_CODE_BLOCK_PATTERN = /```([\s\S]*?)```/;
const SLACK_INLINE_CODE_PATTERN = /(`[^`\n]+`)/;
/** Placeholder of a reference while the text around it is converted. */
const REFERENCE_MARK = '\uE000';
/** Matches references, and placeholder characters that the text itself contains. */
const SLACK_REFERENCE_OR_MARK_PATTERN = new RegExp(`<([^<>\\n]+)>|${REFERENCE_MARK}`, 'g');
const SLACK_USER_GROUP_MENTION_PREFIX = '!subteam^';
/** Emphasis that begins with a mention, which would not be one behind the marks of Markdown. */
const EMPHASIZED_MENTION_PATTERN =
  /(?<![\w*_~])([*_~])(<[@#!][^<>\n]+>)(?:\1(?![\w*_~])|(\s*)(?=[^\s*_~](?:[^\n]{0,200}?\S)?\1(?![\w*_~])))/g;
const MENTION_PATTERN = /^[@#]\*\*/;
/** Characters after which this server's Markdown has mentions and links to streams. */
const MENTION_BOUNDARY_PATTERN = /[\s'"({[/<]/;
const SLACK_EVERYBODY_MENTION_PATTERN = /^!(everyone|channel|here)\b/;

export function convertSlackTextToMarkdown(text: string, lookups: SlackMentionLookups): ConvertedSlackText {
  const mentioned: string[] = [];
  const parts = text
    .split(SLACK_CODE_BLOCK_PATTERN)
    .map((part, i) =>
      i % 2 === 1
        ? unescapeSlackEntities(makeMarkdownCodeBlock(part))
        : separateQuotesAndLists(
            unescapeSlackEntities(convertOutsideBlocksAndCollectMentions(part, lookups, mentioned)),
          ),
    );
  return { content: joinNonEmpty(parts, '\n'), mentioned };
}

/** In Slack `>` quotes one line, and `>>>` the rest of the text. A line after a list item is outside of it. */
function separateQuotesAndLists(text: string): string {
  const lines = text.split('\n');
  const rest = lines.findIndex((line) => line.startsWith('>>>'));
  if (rest < 0) return joinMarkdownBlocks(lines);
  const quoted = lines.slice(rest).map((line, i) => `> ${i === 0 ? line.slice(3).trimStart() : line}`);
  return joinMarkdownBlocks([...lines.slice(0, rest), ...quoted]);
}

/** Slack's fences stand inside of lines, even beside text; those of Markdown need lines of their own. */
export function makeMarkdownCodeBlock(code: string): string {
  let fence = '```';
  for (const [backticks] of code.matchAll(/`{3,}/g)) if (backticks.length >= fence.length) fence = `${backticks}\``;
  return `${fence}\n${code.replace(/^\n/, '').trimEnd()}\n${fence}`;
}

const convertOutsideBlocksAndCollectMentions = (
  text: string,
  lookups: SlackMentionLookups,
  mentioned: string[],
): string =>
  text
    .trim()
    .split(SLACK_INLINE_CODE_PATTERN)
    .map((part, i) => (i % 2 === 1 ? part : convertOutsideCodeAndCollectMentions(part, i > 0, lookups, mentioned)))
    .join('');

function convertOutsideCodeAndCollectMentions(
  text: string,
  isAfterCode: boolean,
  lookups: SlackMentionLookups,
  mentioned: string[],
): string {
  const references: string[] = [];
  // References are put aside, so that an underscore in an address is not taken for emphasis.
  const aside = text
    .replace(EMPHASIZED_MENTION_PATTERN, (_, mark: string, mention: string, blanks?: string) =>
      blanks === undefined ? mention : `${mention}${blanks || ' '}${mark}`,
    )
    .replace(SLACK_REFERENCE_OR_MARK_PATTERN, (all, inside?: string) => {
      references.push(inside === undefined ? all : convertReferenceAndCollectMention(all, inside, lookups, mentioned));
      return REFERENCE_MARK;
    });
  let next = 0;
  return renameSlackEmoji(
    aside
      .replace(/(^|[^\w*])\*([^\s*](?:[^*\n]*[^\s*])?)\*(?![\w*])/g, '$1**$2**')
      .replace(/(^|[^\w_])_([^\s_](?:[^_\n]*[^\s_])?)_(?![\w_])/g, '$1*$2*')
      .replace(/(^|[^\w~])~([^\s~](?:[^~\n]*[^\s~])?)~(?![\w~])/g, '$1~~$2~~'),
  ).replaceAll(REFERENCE_MARK, (_, offset: number, whole: string) => {
    const reference = references[next++] ?? '';
    const isBounded = offset === 0 ? !isAfterCode : MENTION_BOUNDARY_PATTERN.test(whole[offset - 1]!);
    return isBounded || !MENTION_PATTERN.test(reference) ? reference : ` ${reference}`;
  });
}

function convertReferenceAndCollectMention(
  all: string,
  inside: string,
  lookups: SlackMentionLookups,
  mentioned: string[],
): string {
  const [target = '', label] = splitReferenceTargetAndLabel(inside);
  if (target.startsWith('@')) {
    const account = lookups.user(target.slice(1));
    if (!account) return label ? `@${label}` : all;
    mentioned.push(target.slice(1));
    return `@**${account.name}|${account.id}**`;
  }
  if (target.startsWith('#')) {
    const name = lookups.channel(target.slice(1)) ?? label;
    return name ? `#**${name}**` : all;
  }
  if (SLACK_EVERYBODY_MENTION_PATTERN.test(target)) return lookups.everybody;
  if (label === undefined && target.startsWith(SLACK_USER_GROUP_MENTION_PREFIX))
    return `@${target.slice(SLACK_USER_GROUP_MENTION_PREFIX.length)}`;
  if (target.startsWith('!')) return label ?? '';
  if (target.startsWith('mailto:') && (label === undefined || label === target.slice(7))) return target.slice(7);
  if (!label || label === target) return target;
  return `[${label.replaceAll('[', '(').replaceAll(']', ')')}](${target.replaceAll(' ', '%20')})`;
}

function splitReferenceTargetAndLabel(text: string): [string, string?] {
  const bar = text.indexOf('|');
  return bar < 0 ? [text] : [text.slice(0, bar), text.slice(bar + 1)];
}

export const unescapeSlackEntities = (text: string): string =>
  text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
