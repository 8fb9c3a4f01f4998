/** Runs an import, from its first row to the open organization, or a dry run of it. */
import { join } from 'node:path';
import type { Json } from '#base';
import { RealmDirectory } from '#directory';
import { MessageRenderer } from '#domain/messages';
import { isBotOfOutgoingService, isReachableAddress } from '#domain/people';
import type { ServerCryptography } from '#domain/secrets';
import { type ActorKey, type ProductEmoji, realmActorKey, toRealmId, toUserId } from '#model';
import type { RealmImportReservation } from '#model/commands';
import type { DirectoryUser } from '#model/records';
import type { BlobBulkWriter, BlobStorage } from '#ports/blobs';
import type { Store } from '#ports/store';
import { ExportFolder } from '../format/folder.js';
import { ExportFormatError } from '../format/problem.js';
import { allOrFirstErrorWhenSettled } from '../format/settled.js';
import { isSortedByDate, sortMessagesByDate } from '../format/sorted-messages.js';
import type { StoreLocation } from '../store-location.js';
import { ImportedMessageCopies, type ImportedStreamMemberships } from '../tables/copies.js';
import { ImportedUploads } from '../tables/files.js';
import { ImportedReadStatesAndMarks } from '../tables/flags.js';
import { importScheduledMessageRow, MessageImport } from '../tables/messages.js';
import { addImportedSavedSnippet } from '../tables/personal.js';
import { addEndedSubscriptionIfNone, updateStreamInDraft } from '../tables/streams.js';
import { ExportedSubmessages, SUBMESSAGE_TABLE } from '../tables/submessages.js';
import type { ImportedOrganizationDraft, OrganizationImportFacts } from './draft.js';
import { fingerprintExport } from './fingerprint.js';
import { type MessageFileContent, nameMessageFileInFormatError } from './message-files.js';
import {
  type MessageFileReader,
  type MessageWriters,
  makeMessageFileReader,
  type StartedMessageWriters,
  startMessageWriters,
} from './message-threads.js';
import { type MessagesToStore, STORED_MESSAGE_FILES_PART_NAME } from './message-writer.js';
import {
  assignMessageIds,
  buildDraftWithoutMessagesAndFiles,
  importAndStorePictures,
  type MessageFileIds,
  readExportedReactions,
  readMessageIdsOfFiles,
  readSmallExportTables,
  type SmallExportTables,
} from './read.js';
import { WaitingTimeRenderer } from './waiting-time.js';
import { makeImportedDirectorySnapshot, writeOrganizationAndListTimedActors } from './write.js';

/**
 * Number of files of messages, or time in ms, after which the messages are flushed and the number of files is stored.
 * After a crash, the files behind the last stored number are rendered again. A flush writes rows of index entries all
 * over their table, so fewer flushes change fewer pages: a million messages write 5.6 GB to disk with a flush every
 * 16 files, 4.6 GB every 32, and 4.0 GB every 64, which takes 36 MB more memory.
 */
const FILES_PER_FLUSH = 32;
const MAX_MS_PER_FLUSH = 10_000;
/**
 * Number of slices that wait for a writer or are being rendered by it. V8 would promote the texts of a longer queue.
 */
const MAX_SLICES_PER_WRITER = 4;

/** Saved snippets are in a table of this server's exports, and in one of other servers of newer levels. */
const SAVED_SNIPPET_TABLE_NAMES = ['conclave_savedsnippet', 'zerver_savedsnippet'];

export interface OrganizationImportTarget {
  readonly store: Store;
  /** Location of `store`, for threads that open it themselves. */
  readonly storeLocation: StoreLocation;
  readonly blobs: BlobStorage;
  /** Aborted when another process has taken over the import, or its server has stopped. */
  readonly lostSignal: AbortSignal;
  /** Reserves the organization, or finds the reservation of an earlier attempt. */
  begin(source: string): Promise<RealmImportReservation>;
  /** Gives up the reservation and removes what is stored, because the export can't be imported. */
  abandon(): Promise<void>;
  /** Makes the organization visible. @param timed for each partition with actors that have a timer, one of them */
  open(deactivated: boolean, timed: readonly ActorKey[], realm: OrganizationImportFacts['realm']): Promise<void>;
}

export interface OrganizationImportOptions {
  /** Folder of the export. */
  readonly folder: string;
  /** Folder for temporary files. */
  readonly workFolder: string;
  readonly subdomain: string;
  readonly origin: string;
  readonly formerSite?: string | undefined;
  readonly secrets: ServerCryptography;
  readonly extraEmoji: ProductEmoji;
  /** Key for the URLs of the image proxy; '' if there is no image proxy. */
  readonly imageProxyKey: string;
  /** Passwords of accounts, by e-mail address in lower case. */
  readonly passwords: ReadonlyMap<string, string>;
  /** True if accounts without a password are invited by mail to set one. */
  readonly isInviting: boolean;
  /** Target that the import writes to; undefined for a dry run. */
  readonly target: OrganizationImportTarget | undefined;
  /** Called after each message file. */
  readonly progress?: (done: number, all: number) => void;
  /** Called when all threads have loaded their code. */
  readonly onThreadsLoaded?: () => void;
}

export interface OrganizationImportReport {
  readonly counts: ReadonlyMap<string, number>;
  readonly leftOut: ReadonlyMap<string, number>;
}

/**
 * Imports an organization, or checks that it can be imported.
 * @throws ExportFormatError for an export that can't be imported: then none of it is visible
 */
export async function runOrganizationImportOrDryRun(
  options: OrganizationImportOptions,
): Promise<OrganizationImportReport> {
  const given = new ExportFolder(options.folder);
  // The threads load their code while the tables are read.
  const reader = makeMessageFileReader();
  const writers = options.target && startMessageWriters();
  void Promise.all([reader.loaded, writers?.loaded]).then(options.onThreadsLoaded);
  try {
    return await runImportWithThreads(options, given, reader, writers);
  } finally {
    await Promise.all([reader.close(), writers?.close()]);
  }
}

async function runImportWithThreads(
  options: OrganizationImportOptions,
  given: ExportFolder,
  reader: MessageFileReader,
  writers: StartedMessageWriters | undefined,
): Promise<OrganizationImportReport> {
  const tables = await readSmallExportTables(given);
  const isSorted = await isSortedByDate(given);
  const reserved = await options.target?.begin(await fingerprintExport(given));
  const facts: OrganizationImportFacts = {
    realm: toRealmId(reserved?.realm ?? 1),
    seed: reserved?.seed ?? 'dry run',
    begun: reserved?.begun ?? Date.now(),
    subdomain: options.subdomain,
    origin: options.origin,
    formerSite: options.formerSite,
  };
  const renderer = new MessageRenderer(options.imageProxyKey);
  try {
    const folder = isSorted ? await sortMessagesByDate(given, join(options.workFolder, 'sorted-messages')) : given;
    const files = readMessageIdsOfFiles(folder, reader);
    // A failure is reported where the promise is awaited.
    files.catch(() => undefined);
    const draft = await buildDraftWithoutMessagesAndFiles(folder, tables, facts, options.secrets);
    const run = new OrganizationImportRun(options, folder, isSorted, tables, draft, renderer, reader, writers);
    return await run.importAndOpen(files);
  } catch (error) {
    // A faulty export would fail again, so nothing is kept for a repeat.
    if (error instanceof ExportFormatError) await options.target?.abandon();
    throw error;
  } finally {
    await renderer.close();
  }
}

/** True for an account that is no bot: bots have no passwords. */
const isPerson = ({ botType }: DirectoryUser): boolean => botType === null;

class OrganizationImportRun {
  readonly #messageCopies: ImportedMessageCopies;
  readonly #userMarks = new ImportedReadStatesAndMarks();
  readonly #uploads: ImportedUploads;
  /** Undefined in a dry run. */
  readonly #blobWriter: BlobBulkWriter | undefined;
  /** The flush that was begun last: the number of files whose messages it makes durable, and its time. */
  #flushed = { files: 0, atMs: performance.now() };

  constructor(
    private readonly options: OrganizationImportOptions,
    private readonly folder: ExportFolder,
    private readonly isSorted: boolean,
    private readonly tables: SmallExportTables,
    private readonly draft: ImportedOrganizationDraft,
    private readonly renderer: MessageRenderer,
    private readonly reader: MessageFileReader,
    private readonly startedWriters: StartedMessageWriters | undefined,
  ) {
    this.#messageCopies = new ImportedMessageCopies(draft, this.#userMarks);
    this.#uploads = new ImportedUploads(draft);
    this.#blobWriter = options.target?.blobs.makeBulkWriter();
  }

  /** @param reading ids of the messages of all files, which are still being read */
  async importAndOpen(reading: Promise<readonly MessageFileIds[]>): Promise<OrganizationImportReport> {
    const { draft, folder, options } = this;
    const { target } = options;
    const [files] = await allOrFirstErrorWhenSettled([reading, this.#importFilesAndPictures()]);
    assignMessageIds(files, draft, this.isSorted);
    this.#dropIdleAccountsIfNoMessages();
    this.#countPasswordsWithoutAccount();
    this.#uploads.mapMessagesOfFiles();
    const reactions = await readExportedReactions(folder, draft);
    const submessages = new ExportedSubmessages(draft);
    for (const row of this.tables.rowsByTable.get(SUBMESSAGE_TABLE) ?? []) submessages.addSubmessageRow(row);
    const snapshot = makeImportedDirectorySnapshot(draft);
    const directory = new RealmDirectory(draft.facts.realm, snapshot, options.extraEmoji);
    const messages = new MessageImport(
      draft,
      directory,
      reactions,
      submessages,
      this.#uploads,
      this.#messageCopies,
      this.#userMarks,
    );
    await this.#importScheduledMessages(directory);
    for (const table of SAVED_SNIPPET_TABLE_NAMES)
      for (const row of this.tables.rowsByTable.get(table) ?? []) addImportedSavedSnippet(row, draft);
    const { extraEmoji, imageProxyKey, origin } = options;
    const { realm } = draft.facts;
    const context = { realm, directory: snapshot, extraEmoji, imageProxyKey, origin };
    const writers = target && (await this.startedWriters?.open({ ...context, store: target.storeLocation }));
    const helper = writers?.isThreaded ? new WaitingTimeRenderer(context) : undefined;
    try {
      const names = files.map(({ name }) => name);
      await this.#importMessageFiles(names, messages, writers, helper);
    } finally {
      // The threads end here, so that their memory is free before the roots are made.
      await Promise.all([writers?.close(), helper?.close(), this.reader.close()]);
    }
    target?.lostSignal.throwIfAborted();
    const takeStreamMemberships = this.#makeStreamFinisher(messages);
    this.#uploads.addFileRecordsToOwners();
    const invitedUserIds = options.isInviting ? this.#listUsersToInvite() : [];
    if (invitedUserIds.length > 0) draft.addImportedCount('invitations by mail', invitedUserIds.length);
    if (target) {
      await this.#blobWriter?.flush();
      const passwords = await this.#hashGivenPasswordsByUserId();
      const timed = await writeOrganizationAndListTimedActors(target.store, {
        draft,
        messages,
        takeStreamMemberships,
        takePartsOfUser: this.#takePartsOfUser,
        passwords,
        invitedUserIds,
      });
      await target.open(draft.isDeactivated, timed, draft.facts.realm);
    } else for (const { id } of [...draft.directoryRecords.streams]) takeStreamMemberships(id);
    return { counts: draft.importedCountByKind, leftOut: draft.adjustedRowCounts.countByReason };
  }

  async #importFilesAndPictures(): Promise<void> {
    const { folder, tables, draft } = this;
    await this.#uploads.importAllFiles(folder, this.#blobWriter);
    await importAndStorePictures(folder, tables, this.#blobWriter, draft);
  }

  async #importScheduledMessages(directory: RealmDirectory): Promise<void> {
    const last = new Map<number, number>();
    for (const row of this.tables.rowsByTable.get('zerver_scheduledmessage') ?? []) {
      await importScheduledMessageRow(
        row,
        this.draft,
        (user) => {
          const next = (last.get(user) ?? (user % 2 ** 19) * 4_096) + 1;
          last.set(user, next);
          return next;
        },
        (content, sender, newerMentions) =>
          this.renderer.renderOrNull(content, directory, this.draft.facts.origin, sender, newerMentions),
      );
    }
  }

  /** Without messages no account was away: converters then write the id 1 as the last message of each account. */
  #dropIdleAccountsIfNoMessages(): void {
    const { idleAccountByUserId, messageIdMap } = this.draft;
    if (messageIdMap.mappedCount === 0) idleAccountByUserId.clear();
  }

  /**
   * Imports the files of messages in their order. Meanwhile the next file is read, and texts of the files before are
   * rendered and written.
   */
  async #importMessageFiles(
    files: readonly string[],
    messages: MessageImport,
    writers: MessageWriters | undefined,
    helper: WaitingTimeRenderer | undefined,
  ): Promise<void> {
    const { target, progress } = this.options;
    const { realm } = this.draft.facts;
    const key = realmActorKey(realm);
    const [stored] = target ? await target.store.getParts([{ key, part: STORED_MESSAGE_FILES_PART_NAME }]) : [];
    const done = Number(stored?.value ?? 0);
    /** Slices that are being rendered and written, oldest first. */
    const underWay: Promise<void>[] = [];
    /** Settles once a writer has begun to store the messages of all files up to the last one that was read. */
    let filesBegun: Promise<void> = Promise.resolve();
    let next = this.#beginReading(files[0]);
    let current = '';
    try {
      for (const [i, name] of files.entries()) {
        target?.lostSignal.throwIfAborted();
        current = name;
        const content = await next;
        next = this.#beginReading(files[i + 1]);
        const slices: Promise<void>[] = [];
        for (const recorded of messages.recordFile(content!)) {
          this.draft.addImportedCount('messages', recorded.length);
          if (!writers || i < done) continue;
          let prepared: MessagesToStore = { rendered: [], unrendered: messages.prepareForRendering(recorded) };
          while (underWay.length >= MAX_SLICES_PER_WRITER * writers.atOnce) {
            if (helper) prepared = await helper.renderUntilSettled(underWay[0]!, prepared);
            await underWay.shift();
          }
          const writing = writers.storeMessages(prepared);
          // A failure is reported where the promise is awaited.
          writing.catch(() => undefined);
          underWay.push(writing);
          slices.push(writing);
        }
        if (writers && i >= done) {
          filesBegun = this.#storeFileAndProgress(writers, slices, filesBegun, i + 1);
          filesBegun.catch(() => undefined);
        }
        progress?.(i + 1, files.length);
      }
      await filesBegun;
      if (writers && files.length > done) await this.#flushAllFiles(writers, files.length);
    } catch (error) {
      // Sorted messages are in files of the import's own, which the operator does not have.
      throw this.isSorted ? error : await nameMessageFileInFormatError(error, this.folder, current);
    } finally {
      await Promise.allSettled([...underWay, filesBegun]);
    }
  }

  #beginReading(name: string | undefined): Promise<MessageFileContent | undefined> {
    if (name === undefined) return Promise.resolve(undefined);
    const reading = this.reader.readFile({ folder: this.folder.messageRoot, name, onlyIds: false });
    // A failure is reported where the promise is awaited.
    reading.catch(() => undefined);
    return reading;
  }

  /**
   * Waits for a file and all files before it. If a flush is due, stores how many files the last flush covered and
   * begins the next one.
   */
  async #storeFileAndProgress(
    writers: MessageWriters,
    slices: readonly Promise<void>[],
    before: Promise<void>,
    files: number,
  ): Promise<void> {
    await allOrFirstErrorWhenSettled([before, ...slices]);
    const isDue = performance.now() - this.#flushed.atMs >= MAX_MS_PER_FLUSH;
    if (!isDue && files - this.#flushed.files < FILES_PER_FLUSH) return;
    await this.#endFlush(writers);
    await writers.beginFlush();
    this.#flushed = { files, atMs: performance.now() };
  }

  /** Waits for the flush that was begun last, if there was one, and stores the number of files that it made durable. */
  async #endFlush(writers: MessageWriters): Promise<void> {
    if (this.#flushed.files === 0) return;
    await writers.endFlush();
    await writers.recordStoredFiles(this.#flushed.files);
  }

  async #flushAllFiles(writers: MessageWriters, files: number): Promise<void> {
    await this.#endFlush(writers);
    await writers.beginFlush();
    this.#flushed = { files, atMs: performance.now() };
    await this.#endFlush(writers);
  }

  /**
   * Makes the function that returns the members of a stream after all messages. It is called once for each stream,
   * before the parts of users are made: the stays of all streams at once would be large.
   */
  #makeStreamFinisher(messages: MessageImport): (stream: number) => ImportedStreamMemberships {
    const { draft } = this;
    const active = new Set<number>(draft.directoryRecords.users.filter(({ isActive }) => isActive).map(({ id }) => id));
    const silent = new Set<number>(draft.directoryRecords.users.filter(isBotOfOutgoingService).map(({ id }) => id));
    return (stream) => {
      const finished = this.#messageCopies.takeMembershipsOfStream(stream, (user) => active.has(user), silent);
      for (const user of finished.members.keys()) addEndedSubscriptionIfNone(user, stream, draft);
      updateStreamInDraft(draft, stream, { firstMessage: messages.firstMessageIdByStreamId.get(stream) ?? null });
      return finished;
    };
  }

  /** Returns the parts of a user's actor. They are made when they are written: those of all users would be large. */
  readonly #takePartsOfUser = (user: number): readonly (readonly [name: string, value: Json])[] => [
    ...this.draft.listPartsOfUser(user),
    ...Object.entries(this.#userMarks.takePartsOfUser(user)),
    ...Object.entries(this.#messageCopies.takeSingleCopiesPartOfUser(user)),
  ];

  #countPasswordsWithoutAccount(): void {
    const { adjustedRowCounts, directoryRecords } = this.draft;
    const known = new Set(
      directoryRecords.users.filter(isPerson).map(({ deliveryEmail }) => deliveryEmail.toLowerCase()),
    );
    for (const email of this.options.passwords.keys())
      if (!known.has(email)) adjustedRowCounts.addCount('password for an address that no person has');
  }

  /** Active people with an address, but no password. */
  #listUsersToInvite(): number[] {
    const { passwords } = this.options;
    return this.draft.directoryRecords.users
      .filter((user) => user.isActive && isPerson(user) && isReachableAddress(user.deliveryEmail))
      .filter(({ deliveryEmail }) => !passwords.has(deliveryEmail.toLowerCase()))
      .map(({ id }) => id);
  }

  async #hashGivenPasswordsByUserId(): Promise<Map<number, string>> {
    const hashed = new Map<number, string>();
    for (const { id, deliveryEmail } of this.draft.directoryRecords.users.filter(isPerson)) {
      const password = this.options.passwords.get(deliveryEmail.toLowerCase());
      if (password !== undefined) hashed.set(toUserId(id), await this.options.secrets.hashPassword(password));
    }
    return hashed;
  }
}
