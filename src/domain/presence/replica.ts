/**
 * A process's copy of an organization's presences. It asks the presence actor for the changes since the last time, and
 * encodes a list once for all readers.
 */
import { EncodedJson, type JsonObject, memoizeByObject, SingleFlight } from '#base';
import type { PresenceChangesCursor } from '#model/commands';
import type { DirectoryView } from '#model/records';
import { listPresencesForApi, type PresenceResponseForm, type PresenceTimes } from './forms.js';

/** The presence actor's reply to a request for changes. */
export interface PresenceChanges extends JsonObject {
  readonly source: string;
  /** Version after which the reply has the changes; null: the reply has everything. */
  readonly since: number | null;
  readonly version: number;
  /** Changed presences: [user, last active (null: never), last connected], ms. */
  readonly seen: readonly (readonly [number, number | null, number])[];
  /** Ids of the users whose presence was dropped. */
  readonly gone: readonly number[];
}

/** Asks the presence actor for changes. @param known version of the caller; null: asks for everything */
export type PresenceFetcher = (known: PresenceChangesCursor | null) => Promise<JsonObject>;

/**
 * Number of listed users above which an encoded list may be sent again until it is
 * MAX_LARGE_LIST_AGE_MS old, even if it changed.
 */
const LARGE_LIST_USERS = 200;
const MAX_LARGE_LIST_AGE_MS = 1_000;

interface EncodedPresenceList {
  readonly version: number;
  readonly users: number;
  readonly choices: number;
  readonly made: number;
  readonly until: number;
  readonly json: EncodedJson;
}

export class PresenceReplica {
  #sourceId = '';
  #version = -1;
  #presenceTimesByUser = new Map<number, PresenceTimes>();
  #loading: Promise<void> | undefined;
  readonly #updates = new SingleFlight<'all'>();
  readonly #encodedLists = new Map<PresenceResponseForm, EncodedPresenceList>();

  constructor(private readonly directory: DirectoryView) {}

  /** Fetches presences that are at least as new as this call. */
  async sync(ask: PresenceFetcher): Promise<void> {
    await this.load(ask);
    // A request that is under way may be answered already, so one more is sent, which all waiting callers share.
    await this.#updates.run('all', () => this.update(ask));
  }

  /** Loads all presences once. Callers that come before the reply share the request. */
  async load(ask: PresenceFetcher): Promise<void> {
    if (this.#sourceId !== '') return;
    this.#loading ??= this.update(ask).finally(() => {
      this.#loading = undefined;
    });
    await this.#loading;
  }

  /** Fetches the changes of presences since the last reply. */
  async update(ask: PresenceFetcher): Promise<void> {
    const known = this.#sourceId === '' ? null : { source: this.#sourceId, version: this.#version };
    this.#mergeChanges((await ask(known)) as PresenceChanges);
  }

  presenceTimesOf(user: number): PresenceTimes | undefined {
    return this.#presenceTimesByUser.get(user);
  }

  /** The response field `presences`, encoded as JSON. */
  list(form: PresenceResponseForm, now: number): EncodedJson {
    const { directory } = this;
    const before = this.#encodedLists.get(form);
    if (before && now < before.until && (this.#isCurrent(before) || this.#isFresh(before, now))) return before.json;
    const { text, until } = listPresencesForApi(this.#presenceTimesByUser, form, directory, now);
    const encoded: EncodedPresenceList = {
      version: this.#version,
      users: directory.usersVersion,
      choices: directory.preferencesVersion,
      made: now,
      until,
      json: EncodedJson.ofText(text),
    };
    this.#encodedLists.set(form, encoded);
    return encoded.json;
  }

  #isCurrent({ version, users, choices }: EncodedPresenceList): boolean {
    const { usersVersion, preferencesVersion } = this.directory;
    return version === this.#version && users === usersVersion && choices === preferencesVersion;
  }

  #isFresh({ made }: EncodedPresenceList, now: number): boolean {
    return this.#presenceTimesByUser.size > LARGE_LIST_USERS && now - made < MAX_LARGE_LIST_AGE_MS;
  }

  #mergeChanges({ source, since, version, seen, gone }: PresenceChanges): void {
    if (since === null) {
      // Replies may arrive in another order than their requests.
      if (source === this.#sourceId && version < this.#version) return;
      this.#sourceId = source;
      this.#presenceTimesByUser = new Map();
      this.#version = -1;
      this.#encodedLists.clear();
    } else if (source !== this.#sourceId || since > this.#version || version <= this.#version) return;
    this.#version = version;
    for (const [user, active, connected] of seen) this.#presenceTimesByUser.set(user, { active, connected });
    for (const user of gone) this.#presenceTimesByUser.delete(user);
  }
}

/** The copy of the presences that belongs to this directory. */
export const presenceReplicaOf = memoizeByObject((directory: DirectoryView) => new PresenceReplica(directory));
