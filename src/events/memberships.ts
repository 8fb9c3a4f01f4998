/**
 * Memberships of the streams of one realm, by version, for this host's event queues: read from the Store once, then
 * kept up from the log.
 */
import { type RealmId, streamId, streamKey } from '../core/index.js';
import { Semaphore } from '../runtime/gate.js';
import type { MembershipItem } from '../runtime/log-entry.js';
import type { Store } from '../store/index.js';
import { asMember, isMember, MEMBER_PART, type Member, type Stay } from '../streams/index.js';

interface Loaded {
  mv: number;
  readonly members: Map<number, Member>;
  /** Who is subscribed, ascending; undefined: it was not asked for since the last change. */
  listed: readonly number[] | undefined;
}

/** A registration may want the lists of thousands of streams. */
const READ_AT_ONCE = 32;

export class Memberships {
  readonly #streams = new Map<number, Loaded>();
  readonly #gate = new Semaphore(READ_AT_ONCE);
  readonly #loading = new Map<number, Promise<void>>();
  /** What the log told of streams while they were being read: the read may have begun before that. */
  readonly #meanwhile = new Map<number, MembershipItem[]>();

  constructor(
    private readonly store: Store,
    private readonly realm: RealmId,
  ) {}

  of(stream: number): ReadonlyMap<number, Member> | undefined {
    return this.#streams.get(stream)?.members;
  }

  /** Who is subscribed to a stream that is at hand; ascending. The same list until it changes. */
  listed(stream: number): readonly number[] {
    const loaded = this.#streams.get(stream);
    if (!loaded) return [];
    if (!loaded.listed) {
      const ids: number[] = [];
      for (const [user, member] of loaded.members) if (isMember(member)) ids.push(user);
      loaded.listed = ids.sort((a, b) => a - b);
    }
    return loaded.listed;
  }

  /** Shows this membership version, or a newer one. */
  shows(stream: number, mv: number): boolean {
    return (this.#streams.get(stream)?.mv ?? -1) >= mv;
  }

  /**
   * Undefined when the stream is at hand. What the Store holds includes every version that the log has shown, and every
   * one that anybody names.
   *
   * @param mv a version that must be shown: that of another actor's stream may be named before the log shows it
   */
  load(stream: number, mv = 0): Promise<void> | undefined {
    if (this.#streams.has(stream) && (mv === 0 || this.shows(stream, mv))) return undefined;
    return this.#loading.get(stream) ?? this.#begin(stream);
  }

  /** Shows what the Store holds now, or more. */
  renew(stream: number): Promise<void> {
    const before = this.#loading.get(stream);
    return before ? before.then(() => this.#begin(stream)) : this.#begin(stream);
  }

  #begin(stream: number): Promise<void> {
    this.#meanwhile.set(stream, []);
    const loading = this.#load(stream).finally(() => {
      this.#loading.delete(stream);
      this.#meanwhile.delete(stream);
    });
    this.#loading.set(stream, loading);
    return loading;
  }

  apply(item: MembershipItem): void {
    const { stream, mv, last, after = last, join, leave, silent = [] } = item;
    this.#meanwhile.get(stream)?.push(item);
    const loaded = this.#streams.get(stream);
    if (!loaded || mv <= loaded.mv) return;
    loaded.mv = mv;
    loaded.listed = undefined;
    for (const user of join) {
      const quiet = silent.includes(user) ? ({ silent: true } as const) : {};
      const stay: Stay = { from: mv, to: 0, after, until: 0, ...quiet };
      loaded.members.set(user, { stays: [...(loaded.members.get(user)?.stays ?? []), stay] });
    }
    for (const user of leave) {
      const stays = loaded.members.get(user)?.stays ?? [];
      loaded.members.set(user, {
        stays: stays.map((stay) => (stay.to === 0 ? { ...stay, to: mv, until: last } : stay)),
      });
    }
  }

  /** After a gap in the log: read again when next asked for. */
  forget(): void {
    this.#streams.clear();
  }

  async #load(stream: number): Promise<void> {
    const key = streamKey(this.realm, streamId(stream));
    const parts = await this.#gate.run(() => this.store.parts(key, MEMBER_PART));
    const loaded: Loaded = { mv: 0, members: new Map(), listed: undefined };
    for (const { part, value } of parts) {
      const member = asMember(value)!;
      loaded.members.set(Number(part.slice(MEMBER_PART.length)), member);
      for (const stay of member.stays) loaded.mv = Math.max(loaded.mv, stay.from, stay.to);
    }
    // Read again while the log went on.
    if (!this.shows(stream, loaded.mv + 1)) this.#streams.set(stream, loaded);
    const meanwhile = this.#meanwhile.get(stream) ?? [];
    this.#meanwhile.delete(stream);
    for (const item of meanwhile) this.apply(item);
  }
}
