/** Names of emoji in Slack's messages and reactions. */
import { emojiCodeOfNameOrAlias } from '#domain/markdown';

/** Slack's names of emoji that are none here, with those that are. The others differ in hyphens only. */
const EMOJI_NAME_BY_SLACK_NAME = new Map([['simple_smile', 'slight_smile']]);

const SLACK_EMOJI_PATTERN = /:([a-z0-9_+-]+)(?:::skin-tone-[2-6])?:/g;

/** Finds the emoji of a name in Slack. Skin tones, which follow a name, are one emoji here. */
export function findEmojiOfSlackName(slackName: string): { readonly name: string; readonly code: string } | undefined {
  const plain = slackName.split('::')[0]!;
  for (const name of [plain, EMOJI_NAME_BY_SLACK_NAME.get(plain), plain.replaceAll('-', '_')]) {
    const code = name === undefined ? undefined : emojiCodeOfNameOrAlias(name);
    if (name !== undefined && code !== undefined) return { name, code };
  }
  return undefined;
}

/** Writes the emoji of a text with their names here; those that are unknown stay as they are. */
export const renameSlackEmoji = (text: string): string =>
  text.replace(SLACK_EMOJI_PATTERN, (written, slackName: string) => {
    const name = findEmojiOfSlackName(slackName)?.name;
    return name === undefined ? written : `:${name}:`;
  });
