/** One user's memberships of streams, looked up in the Store as streams come up. */

import { asMember, type Member, memberPart } from '#domain/streams';
import type { RealmId } from '#model';
import type { MessageReads } from '#ports/store';

export class OwnMemberships {
  readonly #members = new Map<number, Member | undefined>();

  constructor(
    private readonly store: MessageReads,
    private readonly realm: RealmId,
    private readonly user: number,
  ) {}

  /** Those that aren't known yet, in one look. */
  async load(streams: readonly number[]): Promise<void> {
    const missing = [...new Set(streams)].filter((stream) => !this.#members.has(stream));
    if (missing.length === 0) return;
    const parts = await this.store.getParts(missing.map((stream) => memberPart(this.realm, stream, this.user)));
    missing.forEach((stream, i) => {
      this.#members.set(stream, asMember(parts[i]?.value));
    });
  }

  knows(stream: number): boolean {
    return this.#members.has(stream);
  }

  /** Of a stream that was loaded. */
  readonly of = (stream: number): Member | undefined => this.#members.get(stream);
}
