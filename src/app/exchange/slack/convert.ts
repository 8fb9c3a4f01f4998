/**
 * Turns a Slack export (its unpacked folder) into an export of the peer's format, which is then imported as such.
 * Messages of all conversations are merged day by day, so that ids follow time; one day is in memory.
 */
import { lstat, mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { JsonObject } from '#base';
import {
  convertSlackMessageToMarkdown,
  convertSlackTextToMarkdown,
  findEmojiOfSlackName,
  joinMarkdownBlocks,
  type SlackMentionLookups,
  unescapeSlackEntities,
  withoutSlackFileTokens,
} from '#domain/integrations';
import { MAX_STREAM_NAME_CHARACTERS, MAX_TOPIC_CHARACTERS } from '#domain/streams';
import { isSafeArchivePath } from '../format/archive-paths.js';
import { EXPORTED_MESSAGE_FLAG_BITS } from '../format/flag-bits.js';
import { nameOfMessageFile } from '../format/folder.js';
import { ExportFormatError } from '../format/problem.js';
import { type CheckedExportRow, MAX_TIME_SECONDS } from '../format/row.js';
import { BufferedExportFileWriter, ExportTableWriter } from '../format/writer.js';
import { AdjustedRowCounts } from '../import/draft.js';
import { toAcceptableFullName } from '../tables/people.js';
import { type ConvertedSlackAccount, ConvertedSlackAccounts } from './accounts.js';
import { markdownLinksToSlackFiles } from './files.js';
import {
  CHANNELS_FILE_NAME,
  readSlackConversationLists,
  readSlackRows,
  type SlackConversationLists,
  slackMembersOf,
} from './rows.js';
import { UniqueNames } from './unique-names.js';

const DAY_FILE_NAME_PATTERN = /^\d{4}-\d\d-\d\d\.json$/;
const MESSAGES_PER_CONVERTED_FILE = 1_000;
const UNTHREADED_MESSAGE_TOPIC = 'imported from Slack';
const DROPPED_MESSAGE_SUBTYPES: ReadonlySet<string> = new Set([
  'pinned_item',
  'unpinned_item',
  'channel_join',
  'channel_leave',
  'channel_name',
  'group_join',
  'group_leave',
]);

/** True if the folder is a Slack export. */
export const isSlackExport = async (folder: string): Promise<boolean> =>
  (await lstat(join(folder, CHANNELS_FILE_NAME)).catch(() => undefined))?.isFile() ?? false;

interface ConvertedSlackConversation {
  readonly folder: string;
  readonly kind: 'stream' | 'group' | 'direct';
  readonly recipient: number;
  readonly members: readonly number[];
  /** Names of the threads' topics. */
  readonly topicNames: UniqueNames;
}

interface SlackMessageInConversation {
  readonly conversation: ConvertedSlackConversation;
  readonly message: CheckedExportRow;
  readonly ts: number;
}

/**
 * Writes the converted export into `target`, an empty folder.
 * @returns counts of what was left out, as in the report of an import
 * @throws ExportFormatError
 */
export const convertSlackExportToFolder = async (
  folder: string,
  target: string,
): Promise<ReadonlyMap<string, number>> => new SlackExportConversion(folder, target).convertAll();

class SlackExportConversion {
  readonly #realmTables: ExportTableWriter;
  readonly #streamNames = new UniqueNames(MAX_STREAM_NAME_CHARACTERS);
  readonly #streamNameBySlackId = new Map<string, string>();
  readonly #conversations: ConvertedSlackConversation[] = [];
  /** Groups of the members of a direct conversation and another sender, by the folder and the sender's id. */
  readonly #groupByConversationAndForeignSender = new Map<string, ConvertedSlackConversation>();
  readonly #topicByThread = new Map<string, string>();
  readonly #mentionLookups: SlackMentionLookups;
  readonly #leftOut = new AdjustedRowCounts();
  readonly #accounts = new ConvertedSlackAccounts(this.#leftOut);
  #lastConversationRecipientId = 1;
  #groupCount = 0;
  #messageCount = 0;
  #messageFileCount = 0;
  #messagesOfNextFile: { readonly row: JsonObject; readonly rows: readonly (readonly [number, number])[] }[] = [];

  constructor(
    private readonly folder: string,
    private readonly target: string,
  ) {
    this.#realmTables = new ExportTableWriter(target);
    this.#mentionLookups = {
      user: (id) => this.#accounts.find(id),
      channel: (id) => this.#streamNameBySlackId.get(id),
      everybody: '@**all**',
    };
  }

  async convertAll(): Promise<ReadonlyMap<string, number>> {
    try {
      return await this.#convertTablesAndMessages();
    } finally {
      // Closes the files that a failure has left open.
      await this.#realmTables.abandon();
    }
  }

  async #convertTablesAndMessages(): Promise<ReadonlyMap<string, number>> {
    await mkdir(this.target, { recursive: true, mode: 0o700 });
    const users = await readSlackRows(this.folder, 'users.json');
    // The primary owner comes first: emoji and bots belong to the first owner.
    const sorted = [...users].sort(
      (a, b) => Number(b.booleanOrDefault('is_primary_owner')) - Number(a.booleanOrDefault('is_primary_owner')),
    );
    for (const user of sorted) this.#accounts.addListedUser(user);
    const lists = await readSlackConversationLists(this.folder);
    const folders = await this.#listFoldersOfMessages(lists);
    await this.#addUnlistedSenders(folders);
    await this.#convertConversations(lists);
    for (const day of this.#listDaysWithConversations(folders)) await this.#convertMessagesOfDay(day);
    await this.#writePendingMessageFile();
    await this.#writeRealmTablesAndFiles();
    return this.#leftOut.countByReason;
  }

  /** Recipient ids of conversations are odd; those of people are their doubled ids. */
  #takeConversationRecipientId(): number {
    this.#lastConversationRecipientId += 2;
    return this.#lastConversationRecipientId;
  }

  async #convertConversations({ channels, groups, mpims, dms }: SlackConversationLists): Promise<void> {
    // Descriptions and messages name channels that come later.
    const names = [...channels, ...groups].map((row) => {
      const name = this.#streamNames.take(row.textOrDefault('name'));
      this.#streamNameBySlackId.set(row.textOrDefault('id'), name);
      return name;
    });
    let stream = 0;
    for (const [rows, isPrivate] of [
      [channels, false],
      [groups, true],
    ] as const) {
      for (const row of rows) {
        const name = row.textOrDefault('name');
        const recipient = this.#takeConversationRecipientId();
        const archived = row.booleanOrDefault('is_archived');
        const members = this.#memberIdsOf(row);
        await this.#realmTables.addRow('zerver_stream', {
          id: ++stream,
          realm: 1,
          name: names[stream - 1]!,
          description: this.#descriptionOf(row),
          date_created: row.timeSecondsOrDefault('created'),
          deactivated: archived,
          invite_only: isPrivate,
          history_public_to_subscribers: !isPrivate,
        });
        await this.#addRecipientAndSubscriptionRows(recipient, 2, stream, members);
        if (!archived && (row.booleanOrDefault('is_general') || name === 'general' || name === 'random')) {
          await this.#realmTables.addRow('zerver_defaultstream', { id: stream, realm: 1, stream });
        }
        this.#addConversation({ folder: name, kind: 'stream', recipient, members });
      }
    }
    for (const row of mpims) {
      const members = this.#memberIdsOf(row);
      const recipient = await this.#addGroupRows(members);
      this.#addConversation({ folder: row.textOrDefault('name'), kind: 'group', recipient, members });
    }
    for (const row of dms) {
      this.#addConversation({
        folder: row.textOrDefault('id'),
        kind: 'direct',
        recipient: 0,
        members: this.#memberIdsOf(row),
      });
    }
  }

  /** The purpose of a channel, and its topic if that says something else. */
  #descriptionOf(channel: CheckedExportRow): string {
    const texts = ['purpose', 'topic'].map((name) => {
      const { content } = convertSlackTextToMarkdown(
        channel.objectOrEmpty(name).textOrDefault('value'),
        this.#mentionLookups,
      );
      return withoutSlackFileTokens(showMentionsAsText(content)).trim();
    });
    return [...new Set(texts)].filter((text) => text !== '').join(' · ');
  }

  #addConversation(conversation: Omit<ConvertedSlackConversation, 'topicNames'>): void {
    this.#conversations.push({ ...conversation, topicNames: new UniqueNames(MAX_TOPIC_CHARACTERS) });
  }

  #memberIdsOf(row: CheckedExportRow): number[] {
    return [...new Set(slackMembersOf(row).map((key) => this.#accounts.getOrAddUser(key).id))];
  }

  async #addRecipientAndSubscriptionRows(
    id: number,
    type: number,
    typeId: number,
    members: readonly number[],
  ): Promise<void> {
    await this.#realmTables.addRow('zerver_recipient', { id, type, type_id: typeId });
    for (const user of members) {
      const subscription = this.#realmTables.nextRowId('zerver_subscription');
      await this.#realmTables.addRow('zerver_subscription', {
        id: subscription,
        user_profile: user,
        recipient: id,
        active: true,
      });
    }
  }

  /** @returns the id of the group's recipient */
  async #addGroupRows(members: readonly number[]): Promise<number> {
    const recipient = this.#takeConversationRecipientId();
    const id = ++this.#groupCount;
    await this.#realmTables.addRow('zerver_huddle', { id, huddle_hash: '', recipient });
    await this.#addRecipientAndSubscriptionRows(recipient, 3, id, members);
    return recipient;
  }

  /**
   * The conversation to which a message belongs. Apps also write where they are no members. Such a message comes into a
   * group of its own with the members: an administrator could read all of theirs with the key of an app among them.
   */
  async #conversationOfMessage(
    conversation: ConvertedSlackConversation,
    sender: ConvertedSlackAccount,
  ): Promise<ConvertedSlackConversation> {
    const { kind, members, folder } = conversation;
    if (kind === 'stream' || members.length < 2 || members.includes(sender.id)) return conversation;
    const key = `${folder}/${sender.id}`;
    const known = this.#groupByConversationAndForeignSender.get(key);
    if (known) return known;
    const all = [...members, sender.id];
    const group = { ...conversation, kind: 'group', recipient: await this.#addGroupRows(all), members: all } as const;
    this.#groupByConversationAndForeignSender.set(key, group);
    return group;
  }

  /** Names of the files of messages in the folders of conversations, by the folder as it is on disk. */
  async #listFoldersOfMessages({
    channels,
    groups,
    mpims,
    dms,
  }: SlackConversationLists): Promise<ReadonlyMap<string, readonly string[]>> {
    const expected = new Set([
      ...[...channels, ...groups, ...mpims].map((row) => row.textOrDefault('name').normalize()),
      ...dms.map((row) => row.textOrDefault('id').normalize()),
    ]);
    const entries = await readdir(this.folder, { withFileTypes: true });
    const names = entries
      .filter((entry) => entry.isDirectory() && expected.has(entry.name.normalize()))
      .map(({ name }) => name);
    const folders = new Map<string, readonly string[]>();
    for (const name of names.sort()) {
      const files = await readdir(join(this.folder, name));
      folders.set(name, files.filter((file) => DAY_FILE_NAME_PATTERN.test(file)).sort());
    }
    return folders;
  }

  /** Comes before the conversion: mentions and memberships of a sender come before the messages that have the name. */
  async #addUnlistedSenders(folders: ReadonlyMap<string, readonly string[]>): Promise<void> {
    for (const [folder, files] of folders) {
      for (const file of files) {
        const messages = await readSlackRows(this.folder, `${folder}/${file}`);
        for (const message of messages) if (!isDeletedMessage(message)) this.#accounts.readUnlistedSender(message);
      }
    }
    this.#accounts.addUnlistedSenders();
  }

  /** Days of all conversations, ascending, with the conversations that have a file for the day. */
  #listDaysWithConversations(
    folders: ReadonlyMap<string, readonly string[]>,
  ): (readonly [string, readonly ConvertedSlackConversation[]])[] {
    // Programs that unpack a zip may write another Unicode form of a name.
    const folderByNormalName = new Map([...folders.keys()].map((folder) => [folder.normalize(), folder]));
    const days = new Map<string, ConvertedSlackConversation[]>();
    const taken = new Set<string>();
    for (const conversation of this.#conversations) {
      if (!isSafeArchivePath(conversation.folder) || conversation.folder.includes('/')) {
        throw new ExportFormatError(`${JSON.stringify(conversation.folder)} can't be the name of a folder`);
      }
      const folder = folderByNormalName.get(conversation.folder.normalize());
      if (folder === undefined) {
        this.#leftOut.addCount('conversation without a folder of messages');
        continue;
      }
      // The messages don't name their conversation, and one of the two may be private.
      if (taken.has(folder)) throw new ExportFormatError(`two conversations have the folder ${JSON.stringify(folder)}`);
      taken.add(folder);
      const found = { ...conversation, folder };
      for (const day of folders.get(folder) ?? []) {
        const known = days.get(day);
        if (known) known.push(found);
        else days.set(day, [found]);
      }
    }
    return [...days].sort(([a], [b]) => (a < b ? -1 : 1));
  }

  async #convertMessagesOfDay([day, conversations]: readonly [
    string,
    readonly ConvertedSlackConversation[],
  ]): Promise<void> {
    const sent: SlackMessageInConversation[] = [];
    for (const conversation of conversations) {
      for (const message of await readSlackRows(this.folder, `${conversation.folder}/${day}`)) {
        const ts = Number(message.textOrDefault('ts'));
        if (!(ts > 0 && ts <= MAX_TIME_SECONDS)) throw message.makeRowError('ts is no time');
        sent.push({ conversation, message, ts });
      }
    }
    for (const one of sent.sort((a, b) => a.ts - b.ts)) await this.#convertMessageIfKept(one, day.slice(0, 10));
  }

  async #convertMessageIfKept(
    { conversation: place, message, ts }: SlackMessageInConversation,
    day: string,
  ): Promise<void> {
    const subtype = message.textOrDefault('subtype');
    if (DROPPED_MESSAGE_SUBTYPES.has(subtype)) return;
    if (isDeletedMessage(message))
      return this.#leftOut.addCount('message that was deleted in Slack, above its replies');
    const sender = this.#accounts.getOrAddSender(message);
    if (!sender) return this.#leftOut.addCount('message without a sender');
    const { content: text, mentioned } = convertSlackMessageToMarkdown(message.fields, this.#mentionLookups);
    const links = markdownLinksToSlackFiles(message, this.#leftOut);
    const parts = [subtype === 'me_message' ? `/me ${text}` : text, ...links].filter((part) => part !== '');
    if (parts.length === 0) return this.#leftOut.addCount('message without text');
    const otherName = otherNameOfApp(message, sender);
    if (otherName !== undefined) parts.unshift(`**${otherName}**`);
    const conversation = await this.#conversationOfMessage(place, sender);
    const id = ++this.#messageCount;
    const ids = new Set(mentioned.map((key) => this.#accounts.getOrAddUser(key).id));
    const other = conversation.members.find((user) => user !== sender.id) ?? sender.id;
    const recipient = conversation.kind === 'direct' ? other * 2 : conversation.recipient;
    const rows = conversation.members.map((user): readonly [number, number] => [
      user,
      EXPORTED_MESSAGE_FLAG_BITS.read |
        (ids.has(user) ? EXPORTED_MESSAGE_FLAG_BITS.mentioned : 0) |
        (conversation.kind === 'stream' ? 0 : EXPORTED_MESSAGE_FLAG_BITS.is_private),
    ]);
    this.#messagesOfNextFile.push({
      row: {
        id,
        sender: sender.id,
        recipient,
        subject: conversation.kind === 'stream' ? this.#getOrMakeThreadTopic(conversation, message, text, day) : '',
        content: joinMarkdownBlocks(parts),
        date_sent: ts,
        sending_client: 1,
      },
      rows,
    });
    await this.#addReactionRows(id, message);
    if (this.#messagesOfNextFile.length === MESSAGES_PER_CONVERTED_FILE) await this.#writePendingMessageFile();
  }

  /** A thread is a topic, named by its day and its first words, and numbered if they are repeated. */
  #getOrMakeThreadTopic(
    { folder, topicNames }: ConvertedSlackConversation,
    message: CheckedExportRow,
    text: string,
    day: string,
  ): string {
    const thread = message.textOrDefault('thread_ts');
    if (thread === '') return UNTHREADED_MESSAGE_TOPIC;
    const key = `${folder}/${thread}`;
    let topic = this.#topicByThread.get(key);
    if (topic === undefined) {
      const words = showMentionsAsText(text)
        .replace(/[\p{Cc}*`~[\]]+/gu, ' ')
        .replace(/\s+/g, ' ')
        .trim();
      topic = topicNames.take(`${day} ${words}`.trim());
      this.#topicByThread.set(key, topic);
    }
    return topic;
  }

  async #addReactionRows(message: number, row: CheckedExportRow): Promise<void> {
    const done = new Set<string>();
    for (const { name, users } of row.objectsOfList('reactions')) {
      const emoji = findEmojiOfSlackName(String(name));
      for (const key of Array.isArray(users) ? users : []) {
        const user = this.#accounts.find(String(key));
        if (!user) this.#leftOut.addCount('reaction of an unknown person');
        else if (!emoji) this.#leftOut.addCount('reaction with an unknown emoji');
        if (!user || !emoji || done.has(`${emoji.code} ${user.id}`)) continue;
        done.add(`${emoji.code} ${user.id}`);
        await this.#realmTables.addRow('zerver_reaction', {
          id: this.#realmTables.nextRowId('zerver_reaction'),
          user_profile: user.id,
          message,
          emoji_name: emoji.name,
          emoji_code: emoji.code,
          reaction_type: 'unicode_emoji',
        });
      }
    }
  }

  async #writePendingMessageFile(): Promise<void> {
    if (this.#messagesOfNextFile.length === 0) return;
    const file = await BufferedExportFileWriter.create(join(this.target, nameOfMessageFile(++this.#messageFileCount)));
    const rows = this.#messagesOfNextFile.flatMap(({ row, rows }) =>
      rows.map(([user_profile, flags_mask]) => ({ user_profile, message: row.id!, flags_mask })),
    );
    await file.appendText(
      JSON.stringify({ zerver_message: this.#messagesOfNextFile.map(({ row }) => row), zerver_usermessage: rows }),
    );
    await file.flushAndClose();
    this.#messagesOfNextFile = [];
  }

  async #writeRealmTablesAndFiles(): Promise<void> {
    const tables = this.#realmTables;
    await tables.addRow('zerver_realm', { id: 1, name: '', description: 'Imported from Slack' });
    await tables.addRow('zerver_client', { id: 1, name: 'Slack' });
    for (const { id, row } of this.#accounts.all) {
      await tables.addRow('zerver_userprofile', row);
      await this.#addRecipientAndSubscriptionRows(id * 2, 1, id, [id]);
    }
    for (const name of ['zerver_stream', 'zerver_recipient', 'zerver_subscription'])
      await tables.ensureTableAndAddRows(name, []);
    await tables.joinTablesIntoAndRemoveParts(join(this.target, 'realm.json'));
    await writeFile(join(this.target, 'attachment.json'), '{"zerver_attachment": []}\n');
  }
}

/** True for the text by Slackbot in place of a deleted message that has replies. */
const isDeletedMessage = (message: CheckedExportRow): boolean => message.textOrDefault('subtype') === 'tombstone';

/** The name with which an app signed one message if its account has another: workflows sign with several names. */
function otherNameOfApp(message: CheckedExportRow, sender: ConvertedSlackAccount): string | undefined {
  const given = message.textOrDefault('username');
  if (given === '' || message.textOrDefault('bot_id') === '') return undefined;
  const name = toAcceptableFullName(given, String(sender.row.delivery_email), sender.id);
  return name === sender.name ? undefined : unescapeSlackEntities(name);
}

/** Mentions and links to streams as words: descriptions and topics have neither. */
const showMentionsAsText = (markdown: string): string =>
  markdown.replace(/([@#])\*\*([^*\n]+?)(?:\|\d+)?\*\*/g, '$1$2');
