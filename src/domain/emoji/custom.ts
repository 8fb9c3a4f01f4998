/** Custom emoji as clients see them (realm.md § Custom emoji). Pure. */
import type { JsonObject } from '#base';
import type { DirectoryEmoji } from '#model/records';

/** All of them by id, deactivated ones too. */
export const presentCustomEmoji = (all: Iterable<DirectoryEmoji>): JsonObject =>
  Object.fromEntries(
    [...all]
      .sort((a, b) => a.id - b.id)
      .map(({ id, name, url, stillUrl, deactivated, author }) => [
        String(id),
        { id: String(id), name, source_url: url, still_url: stillUrl, deactivated, author_id: author },
      ]),
  );

/** Below `/user_avatars/{realm}/`. */
export const emojiImagePath = (id: number, extension: string): string => `emoji/images/${id}${extension}`;
export const emojiStillPath = (id: number): string => `emoji/images/still/${id}.png`;
