/**
 * Finds records by a text, such as an e-mail address: a hash table that holds the ids alone, and asks the records for
 * their texts. It takes 7 to 13 bytes for each text; a `Map` of texts to ids takes 37.
 */

const EMPTY = 0;
/** A removed entry, which look-ups pass over. */
const REMOVED = -1;
const MIN_SLOTS = 16;
/** Part of the slots above which the table is made again. */
const MAX_LOAD = 0.75;
/** The upper byte of a hash is its tag; the lower bits choose the slot. */
const TAG_SHIFT = 24;

export class IdsByKey {
  #slots: Int32Array;
  /** A byte of each entry's hash: records with another one need not be asked. */
  #tags: Uint8Array;
  /** Slots that are not empty, removed entries included. */
  #usedSlots = 0;

  /**
   * Makes an empty index. Ids are positive.
   * @param hasKey true if the record has the text
   * @param listKeys texts of a record; the index is made again from these when it grows
   * @param expected number of texts for which there is room at first
   */
  constructor(
    private readonly hasKey: (id: number, key: string) => boolean,
    private readonly listKeys: (id: number) => readonly string[],
    expected = 0,
  ) {
    const slots = Math.max(MIN_SLOTS, 2 ** Math.ceil(Math.log2(Math.ceil((expected + 1) / MAX_LOAD))));
    this.#slots = new Int32Array(slots);
    this.#tags = new Uint8Array(slots);
  }

  find(key: string): number | undefined {
    const slot = this.#slotOf(key);
    return slot < 0 ? undefined : this.#slots[slot];
  }

  /** Adds an entry whose record has the text by now; it replaces the entry of another record with the same text. */
  add(key: string, id: number): void {
    const known = this.#slotOf(key);
    if (known >= 0) {
      this.#slots[known] = id;
      return;
    }
    if (this.#usedSlots + 1 > this.#slots.length * MAX_LOAD) {
      this.#makeRoom();
      this.add(key, id);
    } else this.#insert(key, id);
  }

  /** Removes the entry of a record that still has the text; an entry of another record stays. */
  remove(key: string, id: number): void {
    const slot = this.#slotOf(key);
    if (slot >= 0 && this.#slots[slot] === id) this.#slots[slot] = REMOVED;
  }

  /** Slot of the entry whose record has the text; -1 if there is none. */
  #slotOf(key: string): number {
    const mask = this.#slots.length - 1;
    const hash = hashOf(key);
    const tag = hash >>> TAG_SHIFT;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const id = this.#slots[slot]!;
      if (id === EMPTY) return -1;
      if (this.#tags[slot] === tag && id !== REMOVED && this.hasKey(id, key)) return slot;
    }
  }

  #insert(key: string, id: number): void {
    const mask = this.#slots.length - 1;
    const hash = hashOf(key);
    let slot = hash & mask;
    while (this.#slots[slot] !== EMPTY) slot = (slot + 1) & mask;
    this.#slots[slot] = id;
    this.#tags[slot] = hash >>> TAG_SHIFT;
    this.#usedSlots++;
  }

  /** Makes the table again without the removed entries, of twice the size if it would be more than half full. */
  #makeRoom(): void {
    const entries = this.#slots.filter((id) => id > 0);
    const before = this.#slots.length;
    const size = entries.length > (before * MAX_LOAD) / 2 ? before * 2 : before;
    this.#slots = new Int32Array(size);
    this.#tags = new Uint8Array(size);
    this.#usedSlots = 0;
    for (const id of new Set(entries))
      for (const key of this.listKeys(id)) if (this.#slotOf(key) < 0) this.#insert(key, id);
  }
}

/** FNV-1a. */
function hashOf(key: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < key.length; i++) hash = Math.imul(hash ^ key.charCodeAt(i), 0x01000193);
  return (hash ^ (hash >>> 15)) >>> 0;
}
