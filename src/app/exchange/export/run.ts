/**
 * Runs an export: writes every table of an organization into a folder in the export format, which may become an
 * archive.
 */

import { createWriteStream, mkdirSync, writeFileSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { create } from 'tar';
import {
  MAX_LISTED_FILE_MESSAGES,
  OWN_FILE_PART_PREFIX,
  type OwnUploadedFile,
  SUBSCRIPTION_PART_PREFIX,
} from '#actors/user';
import { type Json, type JsonObject, TimeSlicer } from '#base';
import { blobNameOfFile } from '#domain/files';
import {
  currentStreamIdOfMessage,
  listSavedSnippets,
  messageIndexTags,
  PackedMessageView,
  type ScheduledMessage,
  type StoredMessage,
  type StoredMessageEdit,
  type StoredReaction,
  type StoredSubmessage,
} from '#domain/messages';
import { isSystemBot } from '#domain/people';
import { blobNameOfAvatar, blobNameOfPicture, blobNameOfRealmPicture } from '#domain/pictures';
import type { Subscription, UserTopicPolicy } from '#domain/streams';
import { toStreamId, toUserId } from '#model';
import type { DirectoryUser, RealmPictureName } from '#model/records';
import type { StoredBlobInfo } from '#ports/blobs';
import type { MessageScan } from '#ports/store';
import { isSafeArchivePath } from '../format/archive-paths.js';
import { nameOfMessageFile } from '../format/folder.js';
import { allOrFirstErrorWhenSettled } from '../format/settled.js';
import { FileCopyLimiter, MAX_FILES_COPIED_AT_ONCE } from '../format/transfers.js';
import { BufferedExportFileWriter, ExportTableWriter } from '../format/writer.js';
import { emojiPictureFileName, makeCustomEmojiRows } from '../tables/files.js';
import { makeUserGroupTableRows } from '../tables/groups.js';
import { type MessageListsWithOwnTables, MessageRowEncoder, ROW_SEPARATOR } from '../tables/message-rows.js';
import { makeMessageRow } from '../tables/messages.js';
import {
  makeAccountRow,
  makeBotConfigRows,
  makeBotServiceRows,
  makeNewerUserSettingsRow,
  makeSystemBotRows,
} from '../tables/people.js';
import {
  makePreferenceTableRows,
  makeProfileFieldRows,
  makeProfileFieldValueRows,
  makeSavedSnippetRow,
} from '../tables/personal.js';
import { makeReactionRow } from '../tables/reactions.js';
import {
  FORMAT_USER_SETTING_NAMES,
  makeEmailDomainRows,
  makeLinkifierRows,
  makeLoginMethodRows,
  makePlaygroundRows,
  makeRealmRow,
  makeUserDefaultSettingsRow,
  NEWER_USER_SETTING_NAMES,
} from '../tables/realm.js';
import {
  makeDefaultStreamGroupRows,
  makeDefaultStreamRows,
  makeStreamRow,
  makeSubscriptionRow,
} from '../tables/streams.js';
import { makeSubmessageRow, SUBMESSAGE_TABLE } from '../tables/submessages.js';
import { MessagesForReceiversBuilder } from './receiver-rows.js';
import { makeReceiverRows, type ReceiverRows } from './receiver-threads.js';
import {
  DirectGroupRecipientIds,
  forEachMessage,
  type OrganizationExportSource,
  readAllUserActorParts,
  readStreamMemberships,
} from './source.js';

const MESSAGES_PER_EXPORTED_FILE = 1_000;
/** Number of messages that are read from the Store, and made into rows, at a time. */
const MESSAGES_PER_READ = 200;
/** The same in a server: some 0.5 ms, or 5 ms for messages with long edit histories. */
const MESSAGES_PER_READ_IN_SERVER = 50;
/**
 * Size up to which the command blocks its thread to write a copied file, bytes: each asynchronous call wakes another
 * thread, which takes ten times as long as the call itself.
 */
const MAX_BLOCKING_BYTES = 65_536;
/** Names of tables that every export has, even if this server has no rows for them. */
const PLACEHOLDER_EXPORT_TABLES = [
  'zerver_userprofile_mirrordummy',
  'zerver_userpresence',
  'zerver_useractivity',
  'zerver_useractivityinterval',
];

/** Matches the end of the name of an export that is an archive. */
export const EXPORT_ARCHIVE_NAME_PATTERN = /\.(tar\.gz|tgz)$/;

export interface OrganizationExportOptions {
  readonly progress?: (messages: number) => void;
  /** True if a thread may make the rows of receivers. */
  readonly usesThread?: boolean;
  /** Called when that thread has loaded its code, or at once if there is none. */
  readonly onThreadLoaded?: () => void;
  /** Aborts the export, which then rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

/** Exports an organization to a folder. @returns number of rows by table */
export async function exportOrganizationToFolder(
  source: OrganizationExportSource,
  folder: string,
  options: OrganizationExportOptions = {},
): Promise<ReadonlyMap<string, number>> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return new OrganizationExport(source, folder, options).exportAll();
}

/** Writes the archive; its one top folder has the archive's name. */
export async function exportOrganizationToArchive(
  source: OrganizationExportSource,
  file: string,
  options: OrganizationExportOptions = {},
): Promise<ReadonlyMap<string, number>> {
  const partial = `${file}.partial`;
  const name = basename(file).replace(EXPORT_ARCHIVE_NAME_PATTERN, '') || 'export';
  await rm(partial, { recursive: true, force: true });
  try {
    const rows = await exportOrganizationToFolder(source, join(partial, name), options);
    const packed = join(partial, 'packed.tar.gz');
    await packFolder(partial, name, packed, options.signal);
    await rename(packed, file);
    return rows;
  } finally {
    await rm(partial, { recursive: true, force: true });
  }
}

/** Bytes of a file that are read at once while it is packed. */
const PACKED_PIECE_BYTES = 262_144;

/** Packs a folder. The compression runs in a thread of its own, unlike the one of the `tar` package. */
async function packFolder(cwd: string, name: string, target: string, signal?: AbortSignal): Promise<void> {
  const archive = create({ cwd, portable: true, maxReadSize: PACKED_PIECE_BYTES }, [name]);
  await pipeline(Readable.from(archive), createGzip(), createWriteStream(target, { mode: 0o600 }), { signal });
}

/** A message file whose rows of messages are being written. */
interface OpenMessageFile {
  readonly path: string;
  readonly writer: BufferedExportFileWriter;
}

async function beginMessageFile(path: string): Promise<OpenMessageFile> {
  const writer = await BufferedExportFileWriter.create(path);
  await writer.appendText('{\n  "zerver_message": [\n');
  return { path, writer };
}

type BlobFacts = Pick<StoredBlobInfo, 'mediaType' | 'sizeBytes'>;

class OrganizationExport {
  readonly #realmTables: ExportTableWriter;
  readonly #attachmentTables: ExportTableWriter;
  readonly #receiverRows: ReceiverRows;
  readonly #directGroupRecipientIds: DirectGroupRecipientIds;
  /** Accounts of the directory, without system bots. */
  readonly #userIds: ReadonlySet<number>;
  readonly #clientIdsByName = new Map<string, number>([['import', 1]]);
  readonly #exportCandidateFiles: {
    readonly owner: DirectoryUser;
    readonly file: OwnUploadedFile;
    /** Ids of the messages that link to the file. */
    readonly linking: readonly number[];
    readonly scheduled: number[];
  }[] = [];
  /**
   * For each message that links to a candidate file, whether everybody may read it; undefined for one that is not
   * exported. Messages may have been sent or deleted since the files of the users were read.
   */
  readonly #isLinkingMessagePublic = new Map<number, boolean | undefined>();
  readonly #slicer: TimeSlicer;
  readonly #madeFolders = new Set<string>();
  #exportedMessageCount = 0;
  #messageFile: OpenMessageFile | undefined;
  #messageFileCount = 0;
  readonly #messageRows = new MessageRowEncoder(
    (name) => this.#getOrAssignClientId(name),
    (edits) => this.#shownEditsOf(edits),
  );
  /** Messages whose rows are not among those of `#messageRows`, and the number of its bytes that come before each. */
  readonly #decodedMessages: { readonly message: StoredMessage; readonly rowBytesBefore: number }[] = [];
  readonly #collectedLists: {
    readonly message: number;
    readonly reactions: readonly StoredReaction[];
    readonly submessages: readonly StoredSubmessage[];
  }[] = [];
  /** The messages of the open file. */
  readonly #messagesForReceivers = new MessagesForReceiversBuilder();

  constructor(
    private readonly source: OrganizationExportSource,
    private readonly folder: string,
    private readonly options: OrganizationExportOptions,
  ) {
    this.#slicer = options.usesThread ? new TimeSlicer() : new TimeSlicer(1);
    this.#realmTables = new ExportTableWriter(folder, this.#pace);
    this.#attachmentTables = new ExportTableWriter(folder, this.#pace);
    this.#receiverRows = makeReceiverRows(options.usesThread === true, this.#pace);
    void this.#receiverRows.loaded.then(options.onThreadLoaded);
    const { directory, realm } = source;
    this.#userIds = new Set([...directory.users()].map(({ id }) => id));
    let last = 0;
    for (const { recipient } of directory.users()) last = Math.max(last, recipient);
    for (const { recipient } of directory.streams()) last = Math.max(last, recipient);
    this.#directGroupRecipientIds = new DirectGroupRecipientIds(realm, last + 1);
  }

  /**
   * Returns a promise if the export has to pause before its next step, so that requests of its process are not held up.
   * @throws the reason of the signal that aborts the export
   */
  readonly #pace = (): Promise<void> | undefined => {
    this.options.signal?.throwIfAborted();
    return this.#slicer.yieldIfSliceIsOver();
  };

  async exportAll(): Promise<ReadonlyMap<string, number>> {
    try {
      return await this.#exportTablesAndFiles();
    } finally {
      // Only after a failure are these files still open.
      await this.#messageFile?.writer.abandon();
      await this.#realmTables.abandon();
      await this.#attachmentTables.abandon();
      await this.#receiverRows.close();
    }
  }

  async #exportTablesAndFiles(): Promise<ReadonlyMap<string, number>> {
    const { store, realm, directory, publicOnly } = this.source;
    if (!publicOnly) {
      await this.#directGroupRecipientIds.loadExistingRecipientIds(store);
      for (const { id } of directory.streams())
        this.#receiverRows.addStream(id, await readStreamMemberships(store, realm, id));
    }
    await this.#exportRealmAndDirectoryTables();
    await this.#exportUserAndStreamRecipients();
    for (const user of directory.users()) await this.#exportPartsOfUser(user);
    await this.#exportIncludedMessages(this.source.newestMessageId);
    await this.#exportDirectGroups();
    for (const table of ['zerver_reaction', SUBMESSAGE_TABLE]) await this.#realmTables.ensureTableAndAddRows(table, []);
    await this.#realmTables.ensureTableAndAddRows(
      'zerver_client',
      [...this.#clientIdsByName].map(([name, id]) => ({ id, name })),
    );
    const rows = await this.#realmTables.joinTablesIntoAndRemoveParts(join(this.folder, 'realm.json'));
    await this.#exportLinkedFiles();
    await this.#attachmentTables.joinTablesIntoAndRemoveParts(join(this.folder, 'attachment.json'));
    await this.#exportAvatarsEmojiAndRealmPictures();
    return new Map([...rows, ['zerver_message', this.#exportedMessageCount]]);
  }

  async #exportRealmAndDirectoryTables(): Promise<void> {
    const { directory, snapshot } = this.source;
    const tables = this.#realmTables;
    const created = Math.min(...snapshot.users.map(({ joined }) => joined), Number.MAX_SAFE_INTEGER) / 1000;
    await tables.addRow('zerver_realm', makeRealmRow(directory, { id: 1, date_created: created }));
    await tables.ensureTableAndAddRows('zerver_realmauthenticationmethod', makeLoginMethodRows(directory));
    for (const [table, names] of [
      ['zerver_realmuserdefault', FORMAT_USER_SETTING_NAMES],
      ['conclave_realmuserdefault', NEWER_USER_SETTING_NAMES],
    ] as const)
      await tables.addRow(table, makeUserDefaultSettingsRow(directory, names));
    await tables.ensureTableAndAddRows('zerver_realmdomain', makeEmailDomainRows(directory));
    await tables.ensureTableAndAddRows('zerver_realmemoji', makeCustomEmojiRows(directory));
    await tables.ensureTableAndAddRows('zerver_realmfilter', makeLinkifierRows(directory));
    await tables.ensureTableAndAddRows('zerver_realmplayground', makePlaygroundRows(directory));
    const streams = [...directory.streams()].sort((a, b) => a.id - b.id);
    await tables.ensureTableAndAddRows('zerver_stream', streams.map(makeStreamRow));
    await tables.ensureTableAndAddRows('zerver_defaultstream', makeDefaultStreamRows(directory));
    await tables.ensureTableAndAddRows('conclave_defaultstreamgroup', makeDefaultStreamGroupRows(directory));
    const users = [...directory.users()].sort((a, b) => a.id - b.id);
    await tables.ensureTableAndAddRows('zerver_userprofile', []);
    for (const user of users) await tables.addRow('zerver_userprofile', makeAccountRow(user, { directory }));
    for (const [i, user] of users.entries())
      await tables.addRow('conclave_usersettings', makeNewerUserSettingsRow(i + 1, user, directory));
    await tables.ensureTableAndAddRows('zerver_userprofile_crossrealm', makeSystemBotRows());
    const { groups, members, subgroups } = makeUserGroupTableRows(directory);
    await tables.ensureTableAndAddRows('zerver_usergroup', groups);
    await tables.ensureTableAndAddRows('zerver_usergroupmembership', members);
    await tables.ensureTableAndAddRows('zerver_groupgroupmembership', subgroups);
    await tables.ensureTableAndAddRows('zerver_customprofilefield', makeProfileFieldRows(directory));
    await tables.ensureTableAndAddRows('zerver_customprofilefieldvalue', makeProfileFieldValueRows(directory));
    const { alertWords, muted, statuses } = makePreferenceTableRows(directory);
    await tables.ensureTableAndAddRows('zerver_alertword', alertWords);
    await tables.ensureTableAndAddRows('zerver_muteduser', muted);
    await tables.ensureTableAndAddRows('zerver_userstatus', statuses);
    await tables.ensureTableAndAddRows('zerver_service', makeBotServiceRows(directory));
    await tables.ensureTableAndAddRows('zerver_botconfigdata', makeBotConfigRows(directory));
    for (const name of [
      ...PLACEHOLDER_EXPORT_TABLES,
      'zerver_usertopic',
      'zerver_botstoragedata',
      'zerver_scheduledmessage',
      'conclave_savedsnippet',
    ]) {
      await tables.ensureTableAndAddRows(name, []);
    }
  }

  /** Exports recipients, but for those of system bots: zerver_userprofile_crossrealm has them. */
  async #exportUserAndStreamRecipients(): Promise<void> {
    const { directory } = this.source;
    for (const { id, recipient } of directory.users()) {
      await this.#realmTables.addRow('zerver_recipient', { id: recipient, type: 1, type_id: id });
    }
    for (const { id, recipient } of directory.streams()) {
      await this.#realmTables.addRow('zerver_recipient', { id: recipient, type: 2, type_id: id });
    }
  }

  #makeSubscriptionRow(user: number, recipient: number, active: boolean, own?: Subscription): JsonObject {
    return makeSubscriptionRow(this.#realmTables.nextRowId('zerver_subscription'), user, recipient, active, own);
  }

  *#makeSubscriptionRowsOfUser(user: DirectoryUser, parts: ReadonlyMap<string, Json>): Generator<JsonObject> {
    const { directory, publicOnly } = this.source;
    yield this.#makeSubscriptionRow(user.id, user.recipient, user.isActive);
    for (const [name, value] of parts) {
      if (!name.startsWith(SUBSCRIPTION_PART_PREFIX)) continue;
      const own = value as JsonObject & Subscription;
      const stream = directory.stream(toStreamId(own.stream));
      if (stream && !publicOnly) yield this.#makeSubscriptionRow(user.id, stream.recipient, user.isActive, own);
      // Members see the present subscribers only, without their properties.
      else if (stream && own.active && user.isActive) yield this.#makeSubscriptionRow(user.id, stream.recipient, true);
    }
  }

  async #exportPartsOfUser(user: DirectoryUser): Promise<void> {
    const { store, realm, publicOnly } = this.source;
    const parts = await readAllUserActorParts(store, realm, user.id);
    await this.#realmTables.ensureTableAndAddRows('zerver_subscription', this.#makeSubscriptionRowsOfUser(user, parts));
    const files: OwnUploadedFile[] = [];
    for (const [name, value] of parts) if (name.startsWith(OWN_FILE_PART_PREFIX)) files.push(value as OwnUploadedFile);
    const scheduled = publicOnly ? [] : await this.#exportPersonalPartsOfUser(user, parts);
    for (const file of files) {
      if (!file.ready) continue;
      const linked = scheduled.filter(({ content }) => content.includes(file.path)).map(({ id }) => id);
      const linking = await this.#loadIdsOfLinkingMessages(file);
      this.#exportCandidateFiles.push({ owner: user, file, linking, scheduled: linked });
      for (const id of linking) this.#isLinkingMessagePublic.set(id, undefined);
    }
  }

  /** Exports what only the user sees. @returns the texts of scheduled messages, by their ids in the export */
  async #exportPersonalPartsOfUser(
    user: DirectoryUser,
    parts: ReadonlyMap<string, Json>,
  ): Promise<readonly { readonly id: number; readonly content: string }[]> {
    await this.#receiverRows.addUser(user.id, parts);
    const scheduled: ScheduledMessage[] = [];
    for (const [name, value] of parts) {
      if (name.startsWith('topic/')) await this.#addTopicPolicyRow(user, value as UserTopicPolicy);
      else if (name.startsWith('storage/')) {
        const { key, value: text } = value as { readonly key: string; readonly value: string };
        const id = this.#realmTables.nextRowId('zerver_botstoragedata');
        await this.#realmTables.addRow('zerver_botstoragedata', { id, bot_profile: user.id, key, value: text });
      } else if (name.startsWith('scheduled/')) scheduled.push(value as ScheduledMessage);
    }
    const waiting = scheduled.filter(
      ({ phase, type, to }) =>
        (phase === 'waiting' || phase === 'failed') &&
        this.#hasRowsOfConversation(type === 'stream' ? to[0]! : 0, [...new Set([user.id, ...to])]),
    );
    const texts: { readonly id: number; readonly content: string }[] = [];
    for (const one of waiting) texts.push({ id: await this.#addScheduledMessageRow(user, one), content: one.content });
    for (const snippet of listSavedSnippets(parts)) {
      const id = this.#realmTables.nextRowId('conclave_savedsnippet');
      await this.#realmTables.addRow('conclave_savedsnippet', makeSavedSnippetRow(id, user.id, snippet));
    }
    return texts;
  }

  /** Loads the ids of the messages that link to a file: its record lists only the newest of many. */
  async #loadIdsOfLinkingMessages(file: OwnUploadedFile): Promise<readonly number[]> {
    if (file.messages.length < MAX_LISTED_FILE_MESSAGES) return file.messages.map(({ id }) => id);
    const { store, realm } = this.source;
    const index = { by: 'tag', tag: messageIndexTags.file(file.path) } as const;
    const ids: number[] = [];
    for (let last = -1; ids.length !== last; ) {
      await this.#pace();
      last = ids.length;
      const from = ids.at(-1) ?? 0;
      const scan: MessageScan = { realm, index, from, direction: 'newer', limit: MESSAGES_PER_READ_IN_SERVER };
      await forEachMessage(store, scan, ({ id }) => ids.push(id));
    }
    return ids;
  }

  async #addTopicPolicyRow(user: DirectoryUser, { stream, name, policy, updated }: UserTopicPolicy): Promise<void> {
    const found = this.source.directory.stream(toStreamId(stream));
    if (!found) return;
    await this.#realmTables.addRow('zerver_usertopic', {
      id: this.#realmTables.nextRowId('zerver_usertopic'),
      user_profile: user.id,
      stream,
      recipient: found.recipient,
      topic_name: name,
      last_updated: updated,
      visibility_policy: policy,
    });
  }

  async #addScheduledMessageRow(user: DirectoryUser, message: ScheduledMessage): Promise<number> {
    const { directory } = this.source;
    const id = this.#realmTables.nextRowId('zerver_scheduledmessage');
    const stream = message.type === 'stream' ? directory.stream(toStreamId(message.to[0]!)) : undefined;
    const participants = [...new Set([user.id, ...message.to])].sort((a, b) => a - b);
    const other = message.to[0] ?? user.id;
    const recipient =
      stream?.recipient ??
      (participants.length > 2 ? this.#directGroupRecipientIds.getOrAssignRecipientId(participants) : other);
    await this.#realmTables.addRow('zerver_scheduledmessage', {
      id,
      realm: 1,
      sender: user.id,
      recipient,
      stream: stream?.id ?? null,
      subject: message.topic,
      content: message.content,
      rendered_content: message.html,
      sending_client: this.#getOrAssignClientId(message.client),
      scheduled_timestamp: message.at,
      delivered: false,
      delivered_message: null,
      has_attachment: message.content.includes('/user_uploads/'),
      failed: message.phase === 'failed',
      failure_message: null,
      delivery_type: 1,
    });
    return id;
  }

  #getOrAssignClientId(name: string): number {
    let id = this.#clientIdsByName.get(name);
    if (id === undefined) {
      id = this.#clientIdsByName.size + 1;
      this.#clientIdsByName.set(name, id);
    }
    return id;
  }

  async #exportIncludedMessages(last: number): Promise<void> {
    const { store, realm } = this.source;
    const messagesPerRead = this.options.usesThread ? MESSAGES_PER_READ : MESSAGES_PER_READ_IN_SERVER;
    for (let from = 0; ; ) {
      const scan: MessageScan = {
        realm,
        index: { by: 'realm' },
        upTo: last,
        from,
        direction: 'newer',
        // The messages of one read go to one file.
        limit: Math.min(messagesPerRead, MESSAGES_PER_EXPORTED_FILE - this.#messagesForReceivers.messageCount),
      };
      const count = await forEachMessage(store, scan, (message) => {
        from = message.id;
        if (this.#isMessageInExportScope(message)) this.#collectMessage(message);
      });
      if (count === 0) break;
      await this.#writeCollectedMessages();
      if (this.#messagesForReceivers.messageCount === MESSAGES_PER_EXPORTED_FILE) await this.#endMessageFile();
    }
    await this.#endMessageFile();
    await this.#receiverRows.finish();
  }

  #isMessageInExportScope(message: StoredMessage): boolean {
    if (this.source.publicOnly && this.#isPrivateConversationMessage(message)) return false;
    return this.#hasRowsOfConversation(currentStreamIdOfMessage(message), message.participants);
  }

  /**
   * True if the export has a row for the stream, or for each participant. The directory may be older than the move of a
   * message or than a scheduled message, and the format has no group conversations with system bots.
   */
  #hasRowsOfConversation(stream: number, participants: readonly number[]): boolean {
    if (stream !== 0) return this.source.directory.stream(toStreamId(stream)) !== undefined;
    return participants.every((id) => this.#userIds.has(id) || (participants.length <= 2 && isSystemBot({ id })));
  }

  /**
   * Encodes the row of a message as soon as it is read, if that needs none of its texts as a string: the texts of many
   * messages would survive collections of V8's young generation.
   */
  #collectMessage(message: StoredMessage): void {
    if (message.participants.length > 2) this.#directGroupRecipientIds.getOrAssignRecipientId(message.participants);
    if (this.#isLinkingMessagePublic.has(message.id))
      this.#isLinkingMessagePublic.set(message.id, !this.#isPrivateConversationMessage(message));
    this.#messagesForReceivers.add(message);
    let lists: MessageListsWithOwnTables | undefined;
    if (message instanceof PackedMessageView) lists = this.#messageRows.addRowIfPossible(message);
    if (!lists) {
      const decoded = message instanceof PackedMessageView ? message.decode() : message;
      this.#getOrAssignClientId(decoded.body.client);
      this.#decodedMessages.push({ message: decoded, rowBytesBefore: this.#messageRows.byteLength });
      lists = decoded.body;
    }
    const { reactions = [], submessages = [] } = lists;
    if (reactions.length > 0 || submessages.length > 0)
      this.#collectedLists.push({ message: message.id, reactions, submessages });
  }

  /** Writes the rows of the messages that were collected, and of their reactions and submessages. */
  async #writeCollectedMessages(): Promise<void> {
    const rows = this.#messageRows.takeBytes();
    let written = 0;
    for (const { message, rowBytesBefore } of this.#decodedMessages.splice(0)) {
      const pause = this.#pace();
      if (pause) await pause;
      await this.#writeMessageRows(rows.subarray(written, rowBytesBefore));
      written = rowBytesBefore;
      const row = JSON.stringify(
        makeMessageRow(message, this.#clientIdsByName, this.#shownEditsOf(message.body.edits ?? [])),
      );
      await this.#writeMessageRows(Buffer.from(`${ROW_SEPARATOR}    ${row}`));
    }
    await this.#writeMessageRows(rows.subarray(written));
    for (const { message, reactions, submessages } of this.#collectedLists.splice(0)) {
      for (const reaction of reactions) {
        if (!this.#userIds.has(reaction.user)) continue;
        const id = this.#realmTables.nextRowId('zerver_reaction');
        await this.#realmTables.addRow('zerver_reaction', makeReactionRow(id, message, reaction));
      }
      for (const submessage of submessages) {
        if (!this.#userIds.has(submessage.sender)) continue;
        const id = this.#realmTables.nextRowId(SUBMESSAGE_TABLE);
        await this.#realmTables.addRow(SUBMESSAGE_TABLE, makeSubmessageRow(id, message, submessage));
      }
    }
    const pause = this.#pace();
    if (pause) await pause;
  }

  /** Writes rows to the open file of messages, or to a new one. @param rows with a separator before each row */
  async #writeMessageRows(rows: Uint8Array): Promise<void> {
    if (rows.length === 0) return;
    const isFirst = this.#messageFile === undefined;
    this.#messageFile ??= await beginMessageFile(join(this.folder, nameOfMessageFile(++this.#messageFileCount)));
    const full = this.#messageFile.writer.appendBytes(isFirst ? rows.subarray(ROW_SEPARATOR.length) : rows);
    if (full) await full;
  }

  /** Ends the rows of messages in the open file, if there is one, and has the rows of their receivers appended. */
  async #endMessageFile(): Promise<void> {
    if (!this.#messageFile) return;
    const { path, writer } = this.#messageFile;
    await writer.appendText('\n  ],\n');
    this.#messageFile = undefined;
    await writer.flushAndClose();
    this.#exportedMessageCount += this.#messagesForReceivers.messageCount;
    await this.#receiverRows.appendToFile(path, this.#messagesForReceivers.take());
    this.options.progress?.(this.#exportedMessageCount);
  }

  /**
   * Returns the edits that the export shows: all, or for public data those that members see, without moves from or to
   * streams that are not exported.
   */
  #shownEditsOf(edits: readonly StoredMessageEdit[]): readonly StoredMessageEdit[] {
    const { directory, publicOnly } = this.source;
    if (!publicOnly) return edits;
    if (!directory.settings.allow_edit_history) return [];
    const isExported = (stream: number): boolean => directory.stream(toStreamId(stream)) !== undefined;
    return edits.flatMap((edit) => {
      const { stream, ...rest } = edit;
      if (!stream || (isExported(stream.from) && isExported(stream.to))) return [edit];
      return edit.content || edit.topic ? [rest as StoredMessageEdit] : [];
    });
  }

  #isPrivateConversationMessage(message: StoredMessage): boolean {
    const stream = currentStreamIdOfMessage(message);
    return stream === 0 || (this.source.directory.stream(toStreamId(stream))?.inviteOnly ?? true);
  }

  async #exportDirectGroups(): Promise<void> {
    const all = [...this.#directGroupRecipientIds.knownParticipantsByRecipientId].sort(([a], [b]) => a - b);
    await this.#realmTables.ensureTableAndAddRows('zerver_huddle', []);
    for (const [recipient, participants] of all) {
      if (participants.some((user) => !this.#userIds.has(user))) continue;
      await this.#realmTables.addRow('zerver_huddle', { id: recipient, huddle_hash: '', recipient });
      await this.#realmTables.addRow('zerver_recipient', { id: recipient, type: 3, type_id: recipient });
      for (const user of participants) {
        const isActive = this.source.directory.user(toUserId(user))?.isActive ?? false;
        const row = this.#makeSubscriptionRow(user, recipient, isActive);
        await this.#realmTables.addRow('zerver_subscription', row);
      }
    }
  }

  async #exportLinkedFiles(): Promise<void> {
    const { realm, blobs } = this.source;
    await this.#attachmentTables.ensureTableAndAddRows('zerver_attachment', []);
    const records: JsonObject[] = [];
    const isExported = (id: number): boolean => this.#isLinkingMessagePublic.get(id) !== undefined;
    const candidates = this.#exportCandidateFiles
      .sort((a, b) => a.file.id - b.file.id)
      .map((one) => ({ ...one, messages: one.linking.filter(isExported) }))
      .filter(({ messages, scheduled }) => messages.length > 0 || scheduled.length > 0);
    const limiter = new FileCopyLimiter();
    const copyFile = async ({ file }: (typeof candidates)[number]): Promise<BlobFacts | undefined> => {
      const blob = await blobs.find(realm, blobNameOfFile(file.path));
      if (!blob) return undefined;
      await limiter.runCopy(blob.sizeBytes, async () => this.#writeExportFile('uploads', file.path, await blob.read()));
      return blob;
    };
    const copied: (BlobFacts | undefined)[] = [];
    for (let from = 0; from < candidates.length; from += MAX_FILES_COPIED_AT_ONCE) {
      this.options.signal?.throwIfAborted();
      const copying = candidates.slice(from, from + MAX_FILES_COPIED_AT_ONCE).map(copyFile);
      copied.push(...(await allOrFirstErrorWhenSettled(copying)));
    }
    for (const [i, { owner, file, scheduled, messages }] of candidates.entries()) {
      const blob = copied[i];
      if (!blob) continue;
      await this.#attachmentTables.addRow('zerver_attachment', {
        id: file.id,
        realm: 1,
        file_name: file.name,
        path_id: file.path,
        owner: owner.id,
        create_time: file.created / 1000,
        size: file.size,
        is_realm_public: messages.some((id) => this.#isLinkingMessagePublic.get(id)),
        is_web_public: false,
        messages,
        scheduled_messages: scheduled,
      });
      records.push({ ...makeFileRecord(file.path, owner), size: blob.sizeBytes, content_type: blob.mediaType });
    }
    await this.#writeRecordsFile('uploads', records);
  }

  async #exportAvatarsEmojiAndRealmPictures(): Promise<void> {
    const { directory } = this.source;
    const avatars: JsonObject[] = [];
    for (const user of directory.users()) {
      if (!user.avatar) continue;
      const { hash, number } = user.avatar;
      for (const [ending, size] of [
        ['.original', 'medium'],
        ['.png', 'small'],
      ] as const) {
        const path = `1/${hash}${ending}`;
        if (await this.#copyBlobIfPresent(blobNameOfAvatar(hash, number, size), 'avatars', path))
          avatars.push(makeFileRecord(path, user));
      }
    }
    await this.#writeRecordsFile('avatars', avatars);
    const emoji: JsonObject[] = [];
    for (const one of directory.customEmoji()) {
      const name = emojiPictureFileName(one);
      const path = `1/emoji/images/${name}`;
      if (!(await this.#copyBlobIfPresent(blobNameOfPicture(`emoji/images/${name}`), 'emoji', path))) continue;
      const { id, author, deactivated } = one;
      emoji.push({ id, path, s3_path: path, realm_id: 1, file_name: name, name: one.name, author, deactivated });
    }
    await this.#writeRecordsFile('emoji', emoji);
    const icons: JsonObject[] = [];
    for (const name of ['icon', 'logo', 'night_logo'] satisfies RealmPictureName[]) {
      const { number = 0 } = directory.pictures[name] ?? {};
      for (const ending of number > 0 ? ['.original', '.png'] : []) {
        const path = `1/${name}${ending}`;
        if (await this.#copyBlobIfPresent(blobNameOfRealmPicture(name, number), 'realm_icons', path)) {
          icons.push({ realm_id: 1, path, s3_path: path });
        }
      }
    }
    await this.#writeRecordsFile('realm_icons', icons);
  }

  async #copyBlobIfPresent(blobName: string, folder: string, path: string): Promise<boolean> {
    const blob = await this.source.blobs.find(this.source.realm, blobName);
    if (!blob) return false;
    await this.#writeExportFile(folder, path, await blob.read());
    return true;
  }

  async #writeExportFile(folder: string, path: string, bytes: Uint8Array): Promise<void> {
    if (!isSafeArchivePath(path)) throw new Error(`${path} is no plain path`);
    const target = join(this.folder, folder, path);
    const parent = dirname(target);
    const blocks = this.options.usesThread === true && bytes.length <= MAX_BLOCKING_BYTES;
    if (!this.#madeFolders.has(parent)) {
      if (blocks) mkdirSync(parent, { recursive: true, mode: 0o700 });
      else await mkdir(parent, { recursive: true, mode: 0o700 });
      this.#madeFolders.add(parent);
    }
    if (blocks) writeFileSync(target, bytes, { mode: 0o600 });
    else await writeFile(target, bytes, { mode: 0o600 });
  }

  async #writeRecordsFile(folder: string, records: readonly JsonObject[]): Promise<void> {
    await mkdir(join(this.folder, folder), { recursive: true, mode: 0o700 });
    const sorted = [...records].sort((a, b) => (String(a.path) < String(b.path) ? -1 : 1));
    await writeFile(join(this.folder, folder, 'records.json'), `${JSON.stringify(sorted, undefined, 2)}\n`);
  }
}

const makeFileRecord = (path: string, user: DirectoryUser): Record<string, Json> => ({
  path,
  s3_path: path,
  realm_id: 1,
  user_profile_id: user.id,
  user_profile_email: user.deliveryEmail,
  last_modified: user.joined / 1000,
  content_type: null,
});
