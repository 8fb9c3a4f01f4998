/** Streams by id; live ones by name too. */
import type { StreamId } from '#model';
import type { DirectoryStream } from '#model/records';
import { Collection } from './collection.js';

/** Names of streams are compared ignoring case. */
export const foldName = (name: string): string => name.toLowerCase();

export class Streams extends Collection<StreamId, DirectoryStream> {
  readonly #names = new Map<string, StreamId>();

  constructor() {
    super(({ id }) => id);
  }

  byName(name: string): DirectoryStream | undefined {
    const id = this.#names.get(foldName(name));
    return id === undefined ? undefined : this.get(id);
  }

  override put(stream: DirectoryStream): void {
    const before = this.get(stream.id);
    if (before && this.#names.get(foldName(before.name)) === before.id) this.#names.delete(foldName(before.name));
    // The realm actor learns of the first message later than this replica: its records must not remove the id.
    const firstMessage = stream.firstMessage ?? before?.firstMessage ?? null;
    super.put(firstMessage === stream.firstMessage ? stream : { ...stream, firstMessage });
    if (!stream.archived) this.#names.set(foldName(stream.name), stream.id);
  }

  /** Sets the first message id from the message itself: the realm actor learns of it later, and logs no change. */
  noteFirstMessage(id: StreamId, message: number): void {
    const known = this.get(id);
    if (known?.firstMessage === null) this.put({ ...known, firstMessage: message });
  }
}
