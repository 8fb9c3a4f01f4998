/** Reactions of an export: zerver_reaction. */
import { type JsonObject, withDoubledLength } from '#base';
import type { StoredReaction } from '#domain/messages';
import type { EmojiReference } from '#model';
import type { CheckedExportRow } from '../format/row.js';
import type { ImportedOrganizationDraft } from '../import/draft.js';
import { convertEmojiOfRow, makeEmojiColumns } from './personal.js';

const FIRST_REACTION_CAPACITY = 1024;

/** Reactions of all messages, which are read before the first message: twelve bytes each. */
export class ExportedReactions {
  readonly #distinctEmoji: EmojiReference[] = [];
  readonly #emojiIndexByKey = new Map<string, number>();
  #messageIds = new Uint32Array(FIRST_REACTION_CAPACITY);
  #emojiIndexes = new Uint32Array(FIRST_REACTION_CAPACITY);
  #userIds = new Uint32Array(FIRST_REACTION_CAPACITY);
  #count = 0;
  #isSortedByMessage = true;
  /** Positions of the reactions, sorted by message; undefined while the rows are sorted, or until the first look-up. */
  #positionsByMessage: Uint32Array | undefined;

  addReactionRow(row: CheckedExportRow, draft: ImportedOrganizationDraft): void {
    const message = draft.messageIdMap.findNewId(row.requireNonNegativeInteger('message'));
    const user = draft.userIdMap.findNewId(row.requireNonNegativeInteger('user_profile'));
    const emoji = convertEmojiOfRow(row, draft);
    if (message === undefined || user === undefined || !emoji) {
      draft.adjustedRowCounts.addCount('reaction with an unknown emoji, user or message');
      return;
    }
    if (this.#count === this.#messageIds.length) this.#doubleCapacity();
    if (this.#count > 0 && message < this.#messageIds[this.#count - 1]!) this.#isSortedByMessage = false;
    this.#messageIds[this.#count] = message;
    this.#emojiIndexes[this.#count] = this.#getOrAddEmojiIndex(emoji);
    this.#userIds[this.#count] = user;
    this.#count++;
    this.#positionsByMessage = undefined;
    draft.addImportedCount('reactions');
  }

  /** Returns the reactions to a message in the order of their rows; undefined if there are none. */
  reactionsOf(message: number): readonly StoredReaction[] | undefined {
    if (!this.#isSortedByMessage) this.#positionsByMessage ??= this.#sortPositionsByMessage();
    let at = this.#findFirstOf(message);
    if (at === this.#count || this.#messageIdAt(at) !== message) return undefined;
    const reactions: StoredReaction[] = [];
    for (; at < this.#count && this.#messageIdAt(at) === message; at++) {
      const position = this.#positionsByMessage?.[at] ?? at;
      const emoji = this.#distinctEmoji[this.#emojiIndexes[position]!]!;
      reactions.push({ ...emoji, user: this.#userIds[position]! });
    }
    return reactions;
  }

  #getOrAddEmojiIndex(emoji: EmojiReference): number {
    const key = `${emoji.type} ${emoji.code} ${emoji.name}`;
    let place = this.#emojiIndexByKey.get(key);
    if (place === undefined) {
      place = this.#distinctEmoji.push(emoji) - 1;
      this.#emojiIndexByKey.set(key, place);
    }
    return place;
  }

  #doubleCapacity(): void {
    this.#messageIds = withDoubledLength(this.#messageIds);
    this.#emojiIndexes = withDoubledLength(this.#emojiIndexes);
    this.#userIds = withDoubledLength(this.#userIds);
  }

  #sortPositionsByMessage(): Uint32Array {
    const ids = this.#messageIds;
    return Uint32Array.from({ length: this.#count }, (_, at) => at).sort((a, b) => ids[a]! - ids[b]! || a - b);
  }

  #messageIdAt(index: number): number {
    return this.#messageIds[this.#positionsByMessage?.[index] ?? index]!;
  }

  #findFirstOf(message: number): number {
    let [low, high] = [0, this.#count];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#messageIdAt(middle) < message) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

export const makeReactionRow = (id: number, message: number, { user, ...emoji }: StoredReaction): JsonObject => ({
  id,
  user_profile: user,
  message,
  ...makeEmojiColumns(emoji),
});
