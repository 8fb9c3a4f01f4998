/**
 * A process's copy of an organization's presences. It asks the presence actor for the changes since the last time, and
 * encodes a list once for all readers.
 */
import { EncodedJson, type JsonObject, memoizeByObject, SingleFlight } from '#base';
import type { PresenceChangesCursor } from '#model/commands';
import type { DirectoryView } from '#model/records';
import { makePresenceList, type PresenceResponseForm, type PresenceTimes } from './forms.js';

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
export type FetchPresenceChanges = (known: PresenceChangesCursor | null) => Promise<JsonObject>;

/**
 * Number of listed users above which an encoded list may be sent again until it is
 * MAX_STALE_LARGE_LIST_AGE_MS old, even if it changed.
 */
const MAX_USERS_OF_SMALL_PRESENCE_LIST = 200;
const MAX_STALE_LARGE_LIST_AGE_MS = 1_000;

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
  #presencesVersion = -1;
  #presenceTimesByUser = new Map<number, PresenceTimes>();
  #firstLoad: Promise<void> | undefined;
  readonly #updateAfterCurrent = new SingleFlight<'all'>();
  readonly #encodedListByForm = new Map<PresenceResponseForm, EncodedPresenceList>();

  constructor(private readonly directory: DirectoryView) {}

  /** Fetches presences that are at least as new as this call. */
  async fetchAtLeastNow(ask: FetchPresenceChanges): Promise<void> {
    await this.ensureLoaded(ask);
    // A request that is under way may be answered already, so one more is sent, which all waiting callers share.
    await this.#updateAfterCurrent.joinQueuedRunOrStart('all', () => this.fetchAndMergeChanges(ask));
  }

  /** Loads all presences once. Callers that come before the reply share the request. */
  async ensureLoaded(ask: FetchPresenceChanges): Promise<void> {
    if (this.#sourceId !== '') return;
    this.#firstLoad ??= this.fetchAndMergeChanges(ask).finally(() => {
      this.#firstLoad = undefined;
    });
    await this.#firstLoad;
  }

  /** Fetches the changes of presences since the last reply. */
  async fetchAndMergeChanges(ask: FetchPresenceChanges): Promise<void> {
    const known = this.#sourceId === '' ? null : { source: this.#sourceId, version: this.#presencesVersion };
    this.#mergeChangesIfNewer((await ask(known)) as PresenceChanges);
  }

  presenceTimesOf(user: number): PresenceTimes | undefined {
    return this.#presenceTimesByUser.get(user);
  }

  /** The response field `presences`, encoded as JSON. */
  getOrEncodeList(form: PresenceResponseForm, now: number): EncodedJson {
    const { directory } = this;
    const before = this.#encodedListByForm.get(form);
    if (before && now < before.until && (this.#isListCurrent(before) || this.#mayReuseStaleLargeList(before, now)))
      return before.json;
    const { text, until } = makePresenceList(this.#presenceTimesByUser, form, directory, now);
    const encoded: EncodedPresenceList = {
      version: this.#presencesVersion,
      users: directory.usersVersion,
      choices: directory.preferencesVersion,
      made: now,
      until,
      json: EncodedJson.fromJsonText(text),
    };
    this.#encodedListByForm.set(form, encoded);
    return encoded.json;
  }

  #isListCurrent({ version, users, choices }: EncodedPresenceList): boolean {
    const { usersVersion, preferencesVersion } = this.directory;
    return version === this.#presencesVersion && users === usersVersion && choices === preferencesVersion;
  }

  #mayReuseStaleLargeList({ made }: EncodedPresenceList, now: number): boolean {
    return (
      this.#presenceTimesByUser.size > MAX_USERS_OF_SMALL_PRESENCE_LIST && now - made < MAX_STALE_LARGE_LIST_AGE_MS
    );
  }

  #mergeChangesIfNewer({ source, since, version, seen, gone }: PresenceChanges): void {
    if (since === null) {
      // Replies may arrive in another order than their requests.
      if (source === this.#sourceId && version < this.#presencesVersion) return;
      this.#sourceId = source;
      this.#presenceTimesByUser = new Map();
      this.#presencesVersion = -1;
      this.#encodedListByForm.clear();
    } else if (source !== this.#sourceId || since > this.#presencesVersion || version <= this.#presencesVersion) return;
    this.#presencesVersion = version;
    for (const [user, active, connected] of seen) this.#presenceTimesByUser.set(user, { active, connected });
    for (const user of gone) this.#presenceTimesByUser.delete(user);
  }
}

/** The copy of the presences that belongs to this directory. */
export const presenceReplicaOfDirectory = memoizeByObject((directory: DirectoryView) => new PresenceReplica(directory));
