/** Keeps one object for equal values of many records, such as the settings that a quarter of all accounts has. */
export class SharedValues<Value> {
  readonly #byText = new Map<string, Value>();

  /** @param max number of different values that are shared; further ones are returned as they are */
  constructor(private readonly max = 10_000) {}

  share(value: Value): Value {
    const text = JSON.stringify(value);
    const known = this.#byText.get(text);
    if (known !== undefined) return known;
    if (this.#byText.size < this.max) this.#byText.set(text, value);
    return value;
  }
}
