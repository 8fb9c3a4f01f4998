/** Texts that completions insert, in the Markdown of messages. */

/** @param isAmbiguous whether another person has the same name */
export function formatMention(name: string, id: number, { silent = false, isAmbiguous = false } = {}): string {
  return `@${silent ? '_' : ''}**${name}${isAmbiguous ? `|${id}` : ''}**`;
}

export const formatGroupMention = (name: string, silent = false): string => `@${silent ? '_' : ''}*${name}*`;

export const formatStreamLink = (name: string): string => `#**${name}**`;

export const formatTopicLink = (stream: string, topic: string): string => `#**${stream}>${topic}**`;

export const formatEmojiShortcode = (name: string): string => `:${name}:`;

/** Mentions of people in a text that notify: names, with the id where it is written. */
export function findNotifyingMentions(text: string): { readonly name: string; readonly id: number | undefined }[] {
  const found = text.replace(/^ {0,3}(`{3,}|~{3,})[^\n]*\n[\s\S]*?(?:^ {0,3}\1|$(?![\s\S]))/gm, '');
  return [...found.matchAll(/(?<![`\w])@\*\*([^*|\n]+)(?:\|(\d+))?\*\*/g)].map(([, name, id]) => ({
    name: name!,
    id: id === undefined ? undefined : Number(id),
  }));
}

/** Names that mention everyone in the conversation. */
export const WILDCARD_MENTION_NAMES = ['all', 'everyone', 'stream'] as const;

export const hasWildcardMention = (text: string): boolean =>
  findNotifyingMentions(text).some(({ name }) => WILDCARD_MENTION_NAMES.some((one) => one === name));
