/** Ids of an export and the ids that an organization of this server has for the same things. */
import { rowProblem } from './format/problem.js';

/** Ids of one kind of thing. */
export class IdMap {
  readonly #ids = new Map<number, number>();

  constructor(
    /** Kind of thing that the ids name, for messages to the operator. */
    private readonly kind: string,
  ) {}

  set(old: number, id: number): void {
    if (this.#ids.has(old)) throw rowProblem(this.kind, old, 'the id occurs twice');
    this.#ids.set(old, id);
  }

  find(old: number): number | undefined {
    return this.#ids.get(old);
  }

  /** @throws ExchangeProblem if the export has nothing with this id */
  of(old: number, where: string): number {
    const id = this.#ids.get(old);
    if (id === undefined) throw rowProblem(where, old, `there is no ${this.kind} with this id`);
    return id;
  }

  get size(): number {
    return this.#ids.size;
  }
}

/** Ids of messages: ascending in the export and here, so a million of them take 8 MB. */
export class MessageIds {
  #old = new Float64Array(1024);
  #count = 0;

  /** Adds the next message. @returns its id here. @throws ExchangeProblem if the ids don't ascend */
  add(old: number): number {
    if (this.#count > 0 && old <= this.#old[this.#count - 1]!) {
      throw rowProblem('zerver_message', old, 'the ids of messages do not ascend');
    }
    if (this.#count === this.#old.length) {
      const larger = new Float64Array(this.#count * 2);
      larger.set(this.#old);
      this.#old = larger;
    }
    this.#old[this.#count++] = old;
    return this.#count;
  }

  find(old: number): number | undefined {
    const at = this.#placeOf(old);
    return at < this.#count && this.#old[at] === old ? at + 1 : undefined;
  }

  /** Id here of the newest message up to this one; 0: none. */
  upTo(old: number): number {
    const at = this.#placeOf(old);
    return at < this.#count && this.#old[at] === old ? at + 1 : at;
  }

  get count(): number {
    return this.#count;
  }

  #placeOf(old: number): number {
    let [low, high] = [0, this.#count];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#old[middle]! < old) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
