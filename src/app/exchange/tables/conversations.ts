/** Direct conversations of an import: an organization has a hundred thousand, nearly all of them of two people. */

/** A direct conversation in the form in which its actor needs it. */
export interface ImportedDirectConversation {
  readonly participants: readonly number[];
  /** The `recipient_id` of a group; 0 for a conversation of one or two people. */
  readonly recipient: number;
  /** Id of the newest message. */
  last: number;
}

/** Above every user id; the product of two ids is an exact number. */
const USER_ID_LIMIT = 2 ** 26;

export class ImportedDirectConversations {
  /** Ids of the newest messages by pair of users, as one number: an object would take four times the memory. */
  readonly #newestIdByPair = new Map<number, number>();
  readonly #groupByParticipants = new Map<string, ImportedDirectConversation>();

  /** Records a message. @param participants ascending ids of users @param id above those of the calls before */
  recordMessage(participants: readonly number[], recipient: number, id: number): void {
    if (participants.length <= 2) {
      this.#newestIdByPair.set(participants[0]! * USER_ID_LIMIT + participants.at(-1)!, id);
      return;
    }
    const key = participants.join();
    const known = this.#groupByParticipants.get(key);
    if (known) known.last = id;
    else this.#groupByParticipants.set(key, { participants, recipient, last: id });
  }

  *all(): Generator<ImportedDirectConversation> {
    for (const [pair, last] of this.#newestIdByPair) {
      const second = pair % USER_ID_LIMIT;
      const first = (pair - second) / USER_ID_LIMIT;
      yield { participants: first === second ? [first] : [first, second], recipient: 0, last };
    }
    yield* this.#groupByParticipants.values();
  }
}
