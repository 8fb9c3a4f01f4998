/** Parts of an actor's state: separate values in the Store, each named by a prefix and an id. */
import type { Json } from '#base';

/** The loaded parts of an actor, by name. */
export type ActorParts = ReadonlyMap<string, Json>;

/** The parts under one prefix, which have values of one type. The prefix is stored, so it never changes. */
export class ActorPartAccessor<T> {
  constructor(readonly prefix: string) {}

  partNameOf(id: string | number): string {
    return `${this.prefix}${id}`;
  }

  isPartName(name: string): boolean {
    return name.startsWith(this.prefix);
  }

  /** The id in the name of a part, without the prefix. */
  idInPartName(name: string): string {
    return name.slice(this.prefix.length);
  }

  findPartValue(parts: ActorParts, id: string | number): T | undefined {
    return parts.get(this.partNameOf(id)) as T | undefined;
  }

  /** Values of all parts of the table, in the order of the map. */
  *values(parts: ActorParts): Iterable<T> {
    for (const [name, value] of parts) if (this.isPartName(name)) yield value as T;
  }

  /** Id and value of each part of the table. */
  *entries(parts: ActorParts): Iterable<readonly [id: string, value: T]> {
    for (const [name, value] of parts) if (this.isPartName(name)) yield [this.idInPartName(name), value as T];
  }

  /** Returns the change of a part in the form for a command's outcome; null deletes the part. */
  makePartChange(id: string | number, value: T | null): Readonly<Record<string, Json>> {
    return { [this.partNameOf(id)]: value as Json };
  }
}
