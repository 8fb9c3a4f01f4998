/**
 * A question that many ask and whose answer must not be older than their asking: those who come in one turn of the loop, or while it
 * is under way, share the next one.
 */
export class SharedQuestion<T> {
  #asked: Promise<unknown> | undefined;
  #next: Promise<T> | undefined;

  constructor(private readonly ask: () => Promise<T>) {}

  get idle(): boolean {
    return !this.#asked && !this.#next;
  }

  answer(): Promise<T> {
    this.#next ??= this.#afterThat();
    return this.#next;
  }

  #afterThat(): Promise<T> {
    const turn = this.#asked ?? new Promise((resolve) => setImmediate(resolve));
    const asking = (): Promise<T> => {
      this.#next = undefined;
      const answer = this.ask();
      const over = (): void => {
        if (this.#asked === settled) this.#asked = undefined;
      };
      const settled = answer.then(over, over);
      this.#asked = settled;
      return answer;
    };
    return turn.then(asking);
  }
}
