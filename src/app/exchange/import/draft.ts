/**
 * The organization that an import makes, in the form in which its actors keep it: the directory's records, the parts of
 * users and streams, and the map from old to new ids. `../tables` fills it table by table.
 */
import { createHmac } from 'node:crypto';
import type { Json } from '#base';
import { type DirectoryRecordTypeByCollection, type DirectorySingletons, EMPTY_DIRECTORY_SINGLETONS } from '#directory';
import type { ServerCryptography } from '#domain/secrets';
import { DEFAULT_REALM_SETTINGS, type RealmId, type RealmSettings } from '#model';
import { ImportedIdMap, ImportedMessageIdMap } from '../ids.js';
import { ImportedSubscriptions } from '../tables/subscriptions.js';

type WithoutReadonly<T> = { -readonly [K in keyof T]: T[K] };
type ImportedDirectoryRecords = { [C in keyof DirectoryRecordTypeByCollection]: DirectoryRecordTypeByCollection[C][] };
/** Collections with one record for a user, which several tables fill. */
type RecordsOfUsers = Pick<DirectoryRecordTypeByCollection, 'personals' | 'bots'>;

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
export class AdjustedRowCounts {
  readonly #countByReason = new Map<string, number>();

  addCount(what: string, count = 1): void {
    this.#countByReason.set(what, (this.#countByReason.get(what) ?? 0) + count);
  }

  get countByReason(): ReadonlyMap<string, number> {
    return this.#countByReason;
  }
}

/** Adds up two lists of counts: a reason that both have is named once, with the sum. */
export function sumCountsByReason(
  first: ReadonlyMap<string, number>,
  second: ReadonlyMap<string, number>,
): ReadonlyMap<string, number> {
  const sums = new AdjustedRowCounts();
  for (const [reason, count] of [...first, ...second]) sums.addCount(reason, count);
  return sums.countByReason;
}

export interface ExportedRecipientTarget {
  readonly kind: 'user' | 'stream' | 'group';
  /** Id in the export of the user, the stream or the group. */
  readonly of: number;
}

/** A direct-message conversation of more than two participants. */
export interface ImportedDirectGroupConversation {
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
  readonly directoryRecords: ImportedDirectoryRecords = {
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
  readonly directorySingletons: WithoutReadonly<DirectorySingletons> = { ...EMPTY_DIRECTORY_SINGLETONS };
  settings: RealmSettings = DEFAULT_REALM_SETTINGS;
  /** Wall time at which the organization was created, ms. */
  createdMs: number;
  isDeactivated = false;
  readonly userIdMap = new ImportedIdMap('user');
  readonly streamIdMap = new ImportedIdMap('stream');
  readonly groupIdMap = new ImportedIdMap('group');
  readonly emojiIdMap = new ImportedIdMap('emoji');
  readonly profileFieldIdMap = new ImportedIdMap('profile field');
  readonly messageIdMap = new ImportedMessageIdMap();
  readonly clientNameByExportedId = new Map<number, string>();
  readonly recipientByExportedId = new Map<number, ExportedRecipientTarget>();
  /** Members of group conversations, by the group's id in the export. */
  readonly directGroupByExportedId = new Map<number, ImportedDirectGroupConversation>();
  readonly idleAccountByUserId = new Map<number, ImportedIdleAccount>();
  /** Streams to which each user is subscribed now, deactivated accounts too. */
  readonly currentSubscriberIdsByStreamId = new Map<number, Set<number>>();
  /** New paths of uploaded files, by their old paths. */
  readonly newFilePathByOldPath = new Map<string, string>();
  /** Paths of uploaded files to which a message links, by the message's new id. */
  readonly filePathsByMessageId = new Map<number, string[]>();
  readonly apiKeyByUserId = new Map<number, { readonly hash: string; readonly sealed: string }>();
  /** Due times of the timers of users' actors, ms. */
  readonly earliestDueTimeMsByUserId = new Map<number, number>();
  readonly extraUserStateByUserId = new Map<number, Record<string, Json>>();
  readonly subscriptions = new ImportedSubscriptions();
  readonly adjustedRowCounts = new AdjustedRowCounts();
  readonly importedCountByKind = new Map<string, number>();
  uploadIdAndBytesCounters = { next: 1, used: 0 };
  nextRecipientId: number;
  readonly #recordIndexByUserId = { personals: new Map<number, number>(), bots: new Map<number, number>() };
  readonly #partsByUserId = new Map<number, Record<string, Json>>();
  /** Users whose subscription asks for mails or pushes of all messages, by stream. */
  readonly allMessagesNotifiedUsersByStream = new Map<number, number[]>();
  readonly #partsByStreamId = new Map<number, Record<string, Json>>();
  readonly realmParts: Record<string, Json> = {};

  constructor(
    readonly facts: OrganizationImportFacts,
    readonly secrets: ServerCryptography,
    firstRecipient: number,
  ) {
    this.nextRecipientId = firstRecipient;
    this.createdMs = facts.begun;
  }

  addImportedCount(kind: string, more = 1): void {
    this.importedCountByKind.set(kind, (this.importedCountByKind.get(kind) ?? 0) + more);
  }

  findRecordOfUser<C extends keyof RecordsOfUsers>(collection: C, user: number): RecordsOfUsers[C] | undefined {
    const index = this.#recordIndexByUserId[collection].get(user);
    return index === undefined ? undefined : this.directoryRecords[collection][index];
  }

  /** Adds a record of a user, or replaces the one that is there. */
  putRecordOfUser<C extends keyof RecordsOfUsers>(collection: C, record: RecordsOfUsers[C]): void {
    const records: RecordsOfUsers[C][] = this.directoryRecords[collection];
    const indexByUserId = this.#recordIndexByUserId[collection];
    const index = indexByUserId.get(record.user) ?? records.length;
    indexByUserId.set(record.user, index);
    records[index] = record;
  }

  /** Adds parts to a user's actor. */
  mergeUserParts(user: number, parts: Readonly<Record<string, Json>>): void {
    const all = this.#partsByUserId.get(user);
    if (all) Object.assign(all, parts);
    else this.#partsByUserId.set(user, { ...parts });
  }

  addUserNotifiedOfAllMessages(stream: number, user: number): void {
    const users = this.allMessagesNotifiedUsersByStream.get(stream);
    if (users) users.push(user);
    else this.allMessagesNotifiedUsersByStream.set(stream, [user]);
  }

  mergeStreamParts(stream: number, parts: Readonly<Record<string, Json>>): void {
    const all = this.#partsByStreamId.get(stream);
    if (all) Object.assign(all, parts);
    else this.#partsByStreamId.set(stream, { ...parts });
  }

  /** Returns the parts of a user's actor that do not come from messages. */
  listPartsOfUser(user: number): (readonly [name: string, value: Json])[] {
    return [...Object.entries(this.#partsByUserId.get(user) ?? {}), ...this.subscriptions.makePartsOfUser(user)];
  }

  partsOfStream(stream: number): Readonly<Record<string, Json>> {
    return this.#partsByStreamId.get(stream) ?? {};
  }

  /** Derives bytes from the seed of the import and from their purpose, so that a repeat gets the same bytes. */
  deriveRepeatableBytes(purpose: string): Buffer {
    return createHmac('sha256', this.facts.seed).update(purpose).digest();
  }
}

/** Converts a record or list into the type that the Store takes. */
export const castToJson = (value: object): Json => value as Record<string, Json>;
