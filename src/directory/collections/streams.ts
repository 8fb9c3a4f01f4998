/** Streams of a realm by id. Streams that are not archived are also found by name. */
import type { StreamId } from '#model';
import type { DirectoryStream } from '#model/records';
import { DirectoryRecordCollection } from './collection.js';

/** Form of a stream's name for look-ups, because names of streams are compared ignoring case. */
export const foldStreamNameCase = (name: string): string => name.toLowerCase();

export class DirectoryStreamCollection extends DirectoryRecordCollection<StreamId, DirectoryStream> {
  readonly #unarchivedIdsByName = new Map<string, StreamId>();

  constructor() {
    super(({ id }) => id);
  }

  findUnarchivedByName(name: string): DirectoryStream | undefined {
    const id = this.#unarchivedIdsByName.get(foldStreamNameCase(name));
    return id === undefined ? undefined : this.get(id);
  }

  override put(stream: DirectoryStream): void {
    const before = this.get(stream.id);
    if (before && this.#unarchivedIdsByName.get(foldStreamNameCase(before.name)) === before.id)
      this.#unarchivedIdsByName.delete(foldStreamNameCase(before.name));
    // The realm actor learns of a stream's first message later than this replica, so a record of the stream must not
    // remove the message's id.
    const firstMessage = stream.firstMessage ?? before?.firstMessage ?? null;
    super.put(firstMessage === stream.firstMessage ? stream : { ...stream, firstMessage });
    if (!stream.archived) this.#unarchivedIdsByName.set(foldStreamNameCase(stream.name), stream.id);
  }

  /**
   * Sets the id of a stream's first message when that message arrives. The realm actor learns of the message later, and
   * logs no change.
   */
  setFirstMessageIfUnset(id: StreamId, message: number): void {
    const known = this.get(id);
    if (known?.firstMessage === null) this.put({ ...known, firstMessage: message });
  }
}
