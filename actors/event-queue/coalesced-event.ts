import type { JsonObject } from '#base';

const utf8Encoder = new TextEncoder();

/** Undelivered events about one flag, sent as one under the id of the last (events.md § Coalescing). */
export class CoalescedFlagEvent {
  #encodedBytes: Uint8Array | undefined;

  /**
   * Makes one event out of several. @param parts messages that each of the coalesced events names, oldest event first
   */
  constructor(
    private readonly event: JsonObject & { readonly id: number },
    private parts: readonly { readonly id: number; readonly messages: readonly number[] }[],
  ) {}

  static fromSingleEvent(id: number, event: JsonObject): CoalescedFlagEvent {
    return new CoalescedFlagEvent({ ...event, id }, [{ id, messages: event.messages as readonly number[] }]);
  }

  get id(): number {
    return this.event.id;
  }

  /** Id of the oldest of the coalesced events. */
  get oldestEventId(): number {
    return this.parts[0]?.id ?? this.id;
  }

  namesAnyMessageOf(messages: ReadonlySet<number>): boolean {
    return this.parts.some((part) => part.messages.some((id) => messages.has(id)));
  }

  /** Joins this event and a later one into a single event, under the id of the later one. */
  mergedWithLater(later: CoalescedFlagEvent): CoalescedFlagEvent {
    return new CoalescedFlagEvent(later.event, [...this.parts, ...later.parts]);
  }

  /** Makes one event of the parts of this event up to the id. @returns undefined if there are no such parts */
  makeEventOfPartsUpTo(id: number): CoalescedFlagEvent | undefined {
    const parts = this.parts.filter((part) => part.id <= id);
    const last = parts.at(-1);
    return last && new CoalescedFlagEvent({ ...this.event, id: last.id }, parts);
  }

  /** Drops the parts up to this id. The client has received them, and perhaps also a later event that reverted them. */
  dropPartsUpTo(id: number): void {
    this.parts = this.parts.filter((part) => part.id > id);
    this.#encodedBytes = undefined;
  }

  encode(): Uint8Array {
    const messages = (): number[] => this.parts.flatMap((part) => part.messages);
    this.#encodedBytes ??= utf8Encoder.encode(JSON.stringify({ ...this.event, messages: messages() }));
    return this.#encodedBytes;
  }
}
