/**
 * What one process knows of an organization's presences: asked of the presence actor by what has changed since the last
 * time, and encoded once for all who read it.
 */
import { Encoded, type JsonObject, madeOnce, SharedRuns } from '#base';
import type { DirectoryView } from '#model/records';
import { listPresences, type PresenceForm, type PresenceTimes } from './forms.js';

/** Up to where the changes of one activation of the actor are known. */
export interface PresenceCursor extends JsonObject {
  /** Names the activation: after a restart everything is asked for again. */
  readonly source: string;
  readonly version: number;
}

/** What the actor answers. */
export interface PresenceChanges extends JsonObject {
  readonly source: string;
  /** Changes after this version are in it; null = it is everything. */
  readonly since: number | null;
  readonly version: number;
  /** User, last active (null = never), last connected; ms. */
  readonly seen: readonly (readonly [number, number | null, number])[];
  /** Users of whom nothing is kept any more. */
  readonly gone: readonly number[];
}

/** Asks the actor. @param known null = for everything */
export type FetchPresences = (known: PresenceCursor | null) => Promise<JsonObject>;

/** Of more people than this, a list may be this old when it is sent again. */
const MANY = 200;
const MAX_AGE_MS = 1_000;

interface EncodedList {
  readonly version: number;
  readonly users: number;
  readonly choices: number;
  readonly made: number;
  readonly until: number;
  readonly json: Encoded;
}

export class PresenceReplica {
  #source = '';
  #version = -1;
  #times = new Map<number, PresenceTimes>();
  #loading: Promise<void> | undefined;
  readonly #updates = new SharedRuns<'all'>();
  readonly #encoded = new Map<PresenceForm, EncodedList>();

  constructor(private readonly directory: DirectoryView) {}

  /** Bring it up to what the actor knows when it answers this question. */
  async sync(ask: FetchPresences): Promise<void> {
    await this.load(ask);
    // A question that is under way may have been answered before: one more for all who come meanwhile.
    await this.#updates.ask('all', () => this.update(ask));
  }

  /** The first time everything comes, once for all who wait for it. */
  async load(ask: FetchPresences): Promise<void> {
    if (this.#source !== '') return;
    this.#loading ??= this.update(ask).finally(() => {
      this.#loading = undefined;
    });
    await this.#loading;
  }

  /** One question. */
  async update(ask: FetchPresences): Promise<void> {
    const known = this.#source === '' ? null : { source: this.#source, version: this.#version };
    this.#merge((await ask(known)) as PresenceChanges);
  }

  of(user: number): PresenceTimes | undefined {
    return this.#times.get(user);
  }

  /** The field `presences`. */
  list(form: PresenceForm, now: number): Encoded {
    const { directory } = this;
    const before = this.#encoded.get(form);
    if (before && now < before.until && (this.#isCurrent(before) || this.#isFresh(before, now))) return before.json;
    const { text, until } = listPresences(this.#times, form, directory, now);
    const encoded: EncodedList = {
      version: this.#version,
      users: directory.usersVersion,
      choices: directory.preferencesVersion,
      made: now,
      until,
      json: Encoded.text(text),
    };
    this.#encoded.set(form, encoded);
    return encoded.json;
  }

  #isCurrent({ version, users, choices }: EncodedList): boolean {
    const { usersVersion, preferencesVersion } = this.directory;
    return version === this.#version && users === usersVersion && choices === preferencesVersion;
  }

  #isFresh({ made }: EncodedList, now: number): boolean {
    return this.#times.size > MANY && now - made < MAX_AGE_MS;
  }

  #merge({ source, since, version, seen, gone }: PresenceChanges): void {
    if (since === null) {
      // A question that was asked earlier may be answered later.
      if (source === this.#source && version < this.#version) return;
      this.#source = source;
      this.#times = new Map();
      this.#version = -1;
      this.#encoded.clear();
    } else if (source !== this.#source || since > this.#version || version <= this.#version) return;
    this.#version = version;
    for (const [user, active, connected] of seen) this.#times.set(user, { active, connected });
    for (const user of gone) this.#times.delete(user);
  }
}

/** The one that belongs to this replica of the directory. */
export const presencesIn = madeOnce((directory: DirectoryView) => new PresenceReplica(directory));
