/** Events that are told as one while nobody has read them. */
import type { JsonObject } from '#base';

const encoder = new TextEncoder();

/** Undelivered events about one flag that are told as one, under the id of the last (events.md § Coalescing). */
export class MergedEvent {
  #bytes: Uint8Array | undefined;

  constructor(
    private readonly event: JsonObject & { readonly id: number },
    /** What each of them adds, oldest first. */
    private parts: readonly { readonly id: number; readonly messages: readonly number[] }[],
  ) {}

  static of(id: number, event: JsonObject): MergedEvent {
    return new MergedEvent({ ...event, id }, [{ id, messages: event.messages as readonly number[] }]);
  }

  get id(): number {
    return this.event.id;
  }

  /** Id of the oldest one in it. */
  get first(): number {
    return this.parts[0]?.id ?? this.id;
  }

  tellsOf(messages: ReadonlySet<number>): boolean {
    return this.parts.some((part) => part.messages.some((id) => messages.has(id)));
  }

  /** The one that tells of both, in the place of the later. */
  and(later: MergedEvent): MergedEvent {
    return new MergedEvent(later.event, [...this.parts, ...later.parts]);
  }

  /** What it tells of up to this id, in the place of the last of that; undefined: nothing. */
  upTo(id: number): MergedEvent | undefined {
    const parts = this.parts.filter((part) => part.id <= id);
    const last = parts.at(-1);
    return last && new MergedEvent({ ...this.event, id: last.id }, parts);
  }

  /** The client has had those up to this id, and may have been told the contrary since. */
  acknowledge(id: number): void {
    this.parts = this.parts.filter((part) => part.id > id);
    this.#bytes = undefined;
  }

  encode(): Uint8Array {
    const messages = (): number[] => this.parts.flatMap((part) => part.messages);
    this.#bytes ??= encoder.encode(JSON.stringify({ ...this.event, messages: messages() }));
    return this.#bytes;
  }
}
