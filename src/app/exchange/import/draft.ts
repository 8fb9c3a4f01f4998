/**
 * The organization that an import makes, in the form in which its actors keep it: the directory's records, the parts of
 * users and streams, and the map from old to new ids. `../tables` fills it table by table.
 */
import { createHmac } from 'node:crypto';
import type { Json } from '#base';
import { type DirectoryRecordTypes, type DirectorySingletons, EMPTY_DIRECTORY_SINGLETONS } from '#directory';
import type { ServerCryptography } from '#domain/secrets';
import { DEFAULT_REALM_SETTINGS, type RealmId, type RealmSettings } from '#model';
import { ImportedIdMap, ImportedMessageIdMap } from '../ids.js';

type WithoutReadonly<T> = { -readonly [K in keyof T]: T[K] };
type ImportedDirectoryRecords = { [C in keyof DirectoryRecordTypes]: DirectoryRecordTypes[C][] };

/** Facts that stay equal when an import is repeated after a crash. */
export interface OrganizationImportFacts {
  readonly realm: RealmId;
  readonly subdomain: string;
  /** Base URL of the organization. */
  readonly origin: string;
  /**
   * Random text from which every new key and file name is derived, so that a repeat of the import writes the same ones.
   */
  readonly seed: string;
  /** Wall time at which the import began, ms. */
  readonly begun: number;
  /** Base URL under which the organization was served before; undefined: links below it stay as they are. */
  readonly formerSite?: string | undefined;
}

/** Counts of rows that the import changed or left out, by a text that names the reason. */
export class LeftOutRowCounts {
  readonly #counts = new Map<string, number>();

  add(what: string, count = 1): void {
    this.#counts.set(what, (this.#counts.get(what) ?? 0) + count);
  }

  get all(): ReadonlyMap<string, number> {
    return this.#counts;
  }
}

export interface ExportedRecipient {
  readonly kind: 'user' | 'stream' | 'group';
  /** Id in the export of the user, the stream or the group. */
  readonly of: number;
}

/** A direct-message conversation of more than two participants. */
export interface ImportedDirectGroup {
  readonly participants: readonly number[];
  readonly recipient: number;
}

/**
 * An account that was away for so long that the export has no rows for newer messages of its streams: such messages
 * count as unread.
 */
export interface ImportedIdleAccount {
  /** Id in the export of the last message for which the account has a row. */
  readonly since: number;
}

export class ImportedOrganizationDraft {
  readonly records: ImportedDirectoryRecords = {
    users: [],
    streams: [],
    realms: [],
    personals: [],
    groups: [],
    emoji: [],
    profiles: [],
    bots: [],
    sessions: [],
  };
  readonly lists: WithoutReadonly<DirectorySingletons> = { ...EMPTY_DIRECTORY_SINGLETONS };
  settings: RealmSettings = DEFAULT_REALM_SETTINGS;
  /** Wall time at which the organization was created, ms. */
  createdMs: number;
  deactivated = false;
  readonly userIds = new ImportedIdMap('user');
  readonly streamIds = new ImportedIdMap('stream');
  readonly groupIds = new ImportedIdMap('group');
  readonly emojiIds = new ImportedIdMap('emoji');
  readonly profileFieldIds = new ImportedIdMap('profile field');
  readonly messageIds = new ImportedMessageIdMap();
  readonly clientNames = new Map<number, string>();
  readonly recipients = new Map<number, ExportedRecipient>();
  /** Members of group conversations, by the group's id in the export. */
  readonly directGroups = new Map<number, ImportedDirectGroup>();
  readonly idleAccounts = new Map<number, ImportedIdleAccount>();
  /** Streams to which each user is subscribed now, deactivated accounts too. */
  readonly subscribedStreamsByUser = new Map<number, Set<number>>();
  /** New paths of uploaded files, by their old paths. */
  readonly newFilePaths = new Map<string, string>();
  /** Paths of uploaded files to which a message links, by the message's new id. */
  readonly filePathsByMessage = new Map<number, string[]>();
  readonly apiKeysByUser = new Map<number, { readonly hash: string; readonly sealed: string }>();
  /** Due times of the timers of users' actors, ms. */
  readonly userDueTimesMs = new Map<number, number>();
  readonly userStates = new Map<number, Record<string, Json>>();
  readonly leftOut = new LeftOutRowCounts();
  readonly importedRowCounts = new Map<string, number>();
  uploadCounters = { next: 1, used: 0 };
  nextRecipient: number;
  readonly #userParts = new Map<number, Record<string, Json>>();
  /** Users whose subscription asks for mails or pushes of all messages, by stream. */
  readonly notifiedUsersByStream = new Map<number, number[]>();
  readonly #streamParts = new Map<number, Record<string, Json>>();
  readonly realmParts: Record<string, Json> = {};

  constructor(
    readonly facts: OrganizationImportFacts,
    readonly secrets: ServerCryptography,
    firstRecipient: number,
  ) {
    this.nextRecipient = firstRecipient;
    this.createdMs = facts.begun;
  }

  countImportedRows(kind: string, more = 1): void {
    this.importedRowCounts.set(kind, (this.importedRowCounts.get(kind) ?? 0) + more);
  }

  /** Adds parts to a user's actor. */
  addUserParts(user: number, parts: Readonly<Record<string, Json>>): void {
    const all = this.#userParts.get(user);
    if (all) Object.assign(all, parts);
    else this.#userParts.set(user, { ...parts });
  }

  addNotified(stream: number, user: number): void {
    const users = this.notifiedUsersByStream.get(stream);
    if (users) users.push(user);
    else this.notifiedUsersByStream.set(stream, [user]);
  }

  addStreamParts(stream: number, parts: Readonly<Record<string, Json>>): void {
    const all = this.#streamParts.get(stream);
    if (all) Object.assign(all, parts);
    else this.#streamParts.set(stream, { ...parts });
  }

  userParts(user: number): Readonly<Record<string, Json>> {
    return this.#userParts.get(user) ?? {};
  }

  streamParts(stream: number): Readonly<Record<string, Json>> {
    return this.#streamParts.get(stream) ?? {};
  }

  /** Derives bytes from the seed of the import and from their purpose, so that a repeat gets the same bytes. */
  deriveBytes(purpose: string): Buffer {
    return createHmac('sha256', this.facts.seed).update(purpose).digest();
  }
}

/** Converts a record or list into the type that the Store takes. */
export const asImportedJson = (value: object): Json => value as Record<string, Json>;
