/**
 * Turns a Slack export (its unpacked folder) into an export of the peer's format, which is then imported as such.
 * Messages of all conversations are merged day by day, so that ids follow time; one day is in memory.
 */
import { lstat, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { JsonObject } from '#base';
import { convertSlackTextToMarkdown, type SlackMentionedAccount, type SlackMentionLookups } from '#domain/integrations';
import { emojiCodeOfNameOrAlias } from '#domain/markdown';
import { FAKE_EMAIL_DOMAIN, hasEmailAddressForm } from '#domain/people';
import { MAX_STREAM_NAME_CHARACTERS, MAX_TOPIC_CHARACTERS } from '#domain/streams';
import { isSafeArchivePath } from '../format/archive-paths.js';
import { EXPORTED_MESSAGE_FLAG_BITS } from '../format/flag-bits.js';
import { nameOfMessageFile } from '../format/folder.js';
import { ExportFormatError } from '../format/problem.js';
import { CheckedExportRow } from '../format/row.js';
import { BufferedExportFileWriter, ExportTableWriter } from '../format/writer.js';
import { AdjustedRowCounts } from '../import/draft.js';
import { toAcceptableFullName } from '../tables/people.js';
import { markdownLinksToSlackFiles, slackTextOfAttachments } from './attachments.js';
import { UniqueNames } from './unique-names.js';

const CHANNELS_FILE_NAME = 'channels.json';
const MESSAGES_PER_CONVERTED_FILE = 1_000;
/** Maximum size of one file of messages, bytes. */
const MAX_SLACK_JSON_FILE_BYTES = 256 * 1_048_576;
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
const EXPORTED_ROLE_NUMBER = { owner: 100, admin: 200, member: 400, guest: 600 } as const;

/** True if the folder is a Slack export. */
export const isSlackExport = async (folder: string): Promise<boolean> =>
  (await lstat(join(folder, CHANNELS_FILE_NAME)).catch(() => undefined))?.isFile() ?? false;

interface ConvertedSlackAccount extends SlackMentionedAccount {
  readonly row: JsonObject;
}

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
  readonly #accountBySlackId = new Map<string, ConvertedSlackAccount>();
  readonly #takenEmails = new Set<string>();
  readonly #streamNames = new UniqueNames(MAX_STREAM_NAME_CHARACTERS);
  readonly #streamNameBySlackId = new Map<string, string>();
  readonly #conversations: ConvertedSlackConversation[] = [];
  readonly #topicByThread = new Map<string, string>();
  readonly #mentionLookups: SlackMentionLookups;
  readonly #leftOut = new AdjustedRowCounts();
  #lastConversationRecipientId = 1;
  #messageCount = 0;
  #messageFileCount = 0;
  #messagesOfNextFile: { readonly row: JsonObject; readonly rows: readonly (readonly [number, number])[] }[] = [];

  constructor(
    private readonly folder: string,
    private readonly target: string,
  ) {
    this.#realmTables = new ExportTableWriter(target);
    this.#mentionLookups = {
      user: (id) => this.#accountBySlackId.get(id),
      channel: (id) => this.#streamNameBySlackId.get(id),
      everybody: '@**all**',
    };
  }

  async convertAll(): Promise<ReadonlyMap<string, number>> {
    await mkdir(this.target, { recursive: true, mode: 0o700 });
    const users = await this.#readJsonFileRows('users.json');
    // The primary owner comes first: emoji and bots belong to the first owner.
    const sorted = [...users].sort(
      (a, b) => Number(b.booleanOrDefault('is_primary_owner')) - Number(a.booleanOrDefault('is_primary_owner')),
    );
    for (const user of sorted) this.#addAccountFromUser(user);
    await this.#convertConversations();
    for (const day of await this.#listDaysWithConversations()) await this.#convertMessagesOfDay(day);
    await this.#writePendingMessageFile();
    await this.#writeRealmTablesAndFiles();
    return this.#leftOut.countByReason;
  }

  async #readJsonFileRows(name: string, optional = false): Promise<CheckedExportRow[]> {
    const file = join(this.folder, name);
    const found = await lstat(file).catch(() => undefined);
    if (!found && optional) return [];
    if (!found?.isFile()) throw new ExportFormatError(`there is no file ${name}: this is no Slack export`);
    if (found.size > MAX_SLACK_JSON_FILE_BYTES)
      throw new ExportFormatError(`${name} is larger than ${MAX_SLACK_JSON_FILE_BYTES} bytes`);
    let parsed: unknown;
    try {
      parsed = JSON.parse(await readFile(file, 'utf8'));
    } catch {
      throw new ExportFormatError(`${name} is no JSON, or is truncated`);
    }
    if (!Array.isArray(parsed)) throw new ExportFormatError(`${name} is no list`);
    return parsed.map((fields) => new CheckedExportRow(name, fields as JsonObject));
  }

  #addAccountFromUser(user: CheckedExportRow): void {
    const profile = new CheckedExportRow(user.table, (user.uncheckedValue('profile') ?? {}) as JsonObject);
    const login = user.textOrDefault('name', user.textOrDefault('id'));
    const deleted = user.booleanOrDefault('deleted');
    const real = user.textOrDefault('real_name', profile.textOrDefault('real_name'));
    const restricted = user.booleanOrDefault('is_restricted') || user.booleanOrDefault('is_ultra_restricted');
    const owner = user.booleanOrDefault('is_owner') || user.booleanOrDefault('is_primary_owner');
    const role = restricted
      ? EXPORTED_ROLE_NUMBER.guest
      : owner
        ? EXPORTED_ROLE_NUMBER.owner
        : user.booleanOrDefault('is_admin')
          ? EXPORTED_ROLE_NUMBER.admin
          : EXPORTED_ROLE_NUMBER.member;
    this.#getOrAddAccount(user.textOrDefault('id'), deleted || real === '' ? login : real, {
      delivery_email: this.#reserveUniqueEmailAddress(profile.textOrDefault('email'), login),
      role,
      is_active: !deleted,
      is_bot: user.booleanOrDefault('is_bot'),
      bot_type: user.booleanOrDefault('is_bot') ? 1 : null,
      timezone: user.textOrDefault('tz'),
    });
    const bot = profile.textOrDefault('bot_id');
    const account = this.#accountBySlackId.get(user.textOrDefault('id'));
    if (bot !== '' && account) this.#accountBySlackId.set(bot, account);
  }

  /** Slack's exports have addresses only for owners of some plans; others get one without a mailbox. */
  #reserveUniqueEmailAddress(given: string, login: string): string {
    const local =
      login
        .toLowerCase()
        .replace(/[^a-z0-9_-]+/g, '-')
        .slice(0, 60) || 'user';
    let email = hasEmailAddressForm(given) ? given : `${local}@${FAKE_EMAIL_DOMAIN}`;
    for (let n = 2; this.#takenEmails.has(email.toLowerCase()); n++) email = `${local}-${n}@${FAKE_EMAIL_DOMAIN}`;
    this.#takenEmails.add(email.toLowerCase());
    return email;
  }

  #getOrAddAccount(
    key: string,
    givenName: string,
    fields: JsonObject & { readonly delivery_email: string },
  ): ConvertedSlackAccount {
    const known = this.#accountBySlackId.get(key);
    if (known) return known;
    const id = new Set(this.#accountBySlackId.values()).size + 1;
    // Mentions must have the name that the account will have.
    const name = toAcceptableFullName(givenName, fields.delivery_email, id);
    const row = { id, full_name: name, email: fields.delivery_email, avatar_source: 'G', ...fields };
    const account = { id, name, row };
    this.#accountBySlackId.set(key, account);
    return account;
  }

  #getOrAddAccountOfUser(key: string): ConvertedSlackAccount {
    const email = (): string => this.#reserveUniqueEmailAddress('', key);
    return (
      this.#accountBySlackId.get(key) ??
      this.#getOrAddAccount(key, key, { delivery_email: email(), role: EXPORTED_ROLE_NUMBER.member, is_active: false })
    );
  }

  #getOrAddAccountOfBot(key: string, name: string): ConvertedSlackAccount {
    const known = this.#accountBySlackId.get(key);
    if (known) return known;
    const fields = {
      delivery_email: this.#reserveUniqueEmailAddress('', `${name || key}-bot`),
      role: EXPORTED_ROLE_NUMBER.member,
      is_active: true,
    };
    return this.#getOrAddAccount(key, name || key, { ...fields, is_bot: true, bot_type: 1 });
  }

  /** Recipient ids of conversations are odd; those of people are their doubled ids. */
  #takeConversationRecipientId(): number {
    this.#lastConversationRecipientId += 2;
    return this.#lastConversationRecipientId;
  }

  async #convertConversations(): Promise<void> {
    let stream = 0;
    for (const [file, isPrivate] of [
      [CHANNELS_FILE_NAME, false],
      ['groups.json', true],
    ] as const) {
      for (const row of await this.#readJsonFileRows(file, isPrivate)) {
        const name = row.textOrDefault('name');
        const streamName = this.#streamNames.take(name);
        this.#streamNameBySlackId.set(row.textOrDefault('id'), streamName);
        const recipient = this.#takeConversationRecipientId();
        const purpose = new CheckedExportRow(file, (row.uncheckedValue('purpose') ?? {}) as JsonObject);
        const archived = row.booleanOrDefault('is_archived');
        const members = this.#memberIdsOf(row);
        await this.#realmTables.addRow('zerver_stream', {
          id: ++stream,
          realm: 1,
          name: streamName,
          description: purpose.textOrDefault('value'),
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
    let group = 0;
    for (const row of await this.#readJsonFileRows('mpims.json', true)) {
      const recipient = this.#takeConversationRecipientId();
      const members = this.#memberIdsOf(row);
      await this.#realmTables.addRow('zerver_huddle', { id: ++group, huddle_hash: '', recipient });
      await this.#addRecipientAndSubscriptionRows(recipient, 3, group, members);
      this.#addConversation({ folder: row.textOrDefault('name'), kind: 'group', recipient, members });
    }
    for (const row of await this.#readJsonFileRows('dms.json', true)) {
      this.#addConversation({
        folder: row.textOrDefault('id'),
        kind: 'direct',
        recipient: 0,
        members: this.#memberIdsOf(row),
      });
    }
  }

  #addConversation(conversation: Omit<ConvertedSlackConversation, 'topicNames'>): void {
    this.#conversations.push({ ...conversation, topicNames: new UniqueNames(MAX_TOPIC_CHARACTERS) });
  }

  #memberIdsOf(row: CheckedExportRow): number[] {
    const given = row.uncheckedValue('members');
    const keys = Array.isArray(given) ? given.filter((key): key is string => typeof key === 'string') : [];
    return [...new Set(keys.map((key) => this.#getOrAddAccountOfUser(key).id))];
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

  /** Days of all conversations, ascending, with the conversations that have a file for the day. */
  async #listDaysWithConversations(): Promise<(readonly [string, readonly ConvertedSlackConversation[]])[]> {
    const days = new Map<string, ConvertedSlackConversation[]>();
    for (const conversation of this.#conversations) {
      if (!isSafeArchivePath(conversation.folder) || conversation.folder.includes('/')) {
        throw new ExportFormatError(`${JSON.stringify(conversation.folder)} can't be the name of a folder`);
      }
      const names = await readdir(join(this.folder, conversation.folder)).catch(() => [] as string[]);
      for (const name of names) {
        if (!/^\d{4}-\d\d-\d\d\.json$/.test(name)) continue;
        const known = days.get(name);
        if (known) known.push(conversation);
        else days.set(name, [conversation]);
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
      for (const message of await this.#readJsonFileRows(`${conversation.folder}/${day}`)) {
        const ts = Number(message.textOrDefault('ts'));
        if (!Number.isFinite(ts))
          throw new ExportFormatError(`${conversation.folder}/${day}: a message without a time`);
        sent.push({ conversation, message, ts });
      }
    }
    for (const one of sent.sort((a, b) => a.ts - b.ts)) await this.#convertMessageIfKept(one, day.slice(0, 10));
  }

  async #convertMessageIfKept({ conversation, message, ts }: SlackMessageInConversation, day: string): Promise<void> {
    const subtype = message.textOrDefault('subtype');
    const sender = this.#senderOfMessageOrUndefined(message);
    if (DROPPED_MESSAGE_SUBTYPES.has(subtype)) return;
    if (!sender) return this.#leftOut.addCount('message without a sender');
    const { content: text, mentioned } = convertSlackTextToMarkdown(
      message.textOrDefault('text') || slackTextOfAttachments(message),
      this.#mentionLookups,
    );
    const parts = [subtype === 'me_message' ? `/me ${text}` : text, ...markdownLinksToSlackFiles(message)].filter(
      (part) => part !== '',
    );
    if (parts.length === 0) return this.#leftOut.addCount('message without text');
    const id = ++this.#messageCount;
    const ids = new Set(mentioned.map((key) => this.#getOrAddAccountOfUser(key).id));
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
        content: parts.join('\n'),
        date_sent: ts,
        sending_client: 1,
      },
      rows,
    });
    await this.#addReactionRows(id, message);
    if (this.#messagesOfNextFile.length === MESSAGES_PER_CONVERTED_FILE) await this.#writePendingMessageFile();
  }

  #senderOfMessageOrUndefined(message: CheckedExportRow): ConvertedSlackAccount | undefined {
    const file = message.uncheckedValue('file') as JsonObject | undefined;
    const user = message.textOrDefault('user') || (typeof file?.user === 'string' ? file.user : '');
    if (user !== '') return user === 'U00' ? undefined : this.#getOrAddAccountOfUser(user);
    const bot = message.textOrDefault('bot_id');
    return bot === '' ? undefined : this.#getOrAddAccountOfBot(bot, message.textOrDefault('username'));
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
      const words = text
        .replace(/(@\*\*[^*\n]+)\|\d+(?=\*\*)/g, '$1')
        .replace(/[\p{Cc}*`~[\]]+/gu, ' ')
        .replace(/\s+/g, ' ')
        .trim();
      topic = topicNames.take(`${day} ${words}`.trim());
      this.#topicByThread.set(key, topic);
    }
    return topic;
  }

  async #addReactionRows(message: number, row: CheckedExportRow): Promise<void> {
    const given = row.uncheckedValue('reactions');
    const done = new Set<string>();
    for (const reaction of Array.isArray(given) ? given : []) {
      const { name, users } = reaction as { readonly name?: unknown; readonly users?: unknown };
      // Skin tones are one emoji here.
      const plain = String(name).split('::')[0]!;
      const code = emojiCodeOfNameOrAlias(plain);
      if (code === undefined) continue;
      for (const key of Array.isArray(users) ? users : []) {
        const user = this.#accountBySlackId.get(String(key));
        if (!user || done.has(`${code} ${user.id}`)) continue;
        done.add(`${code} ${user.id}`);
        await this.#realmTables.addRow('zerver_reaction', {
          id: this.#realmTables.nextRowId('zerver_reaction'),
          user_profile: user.id,
          message,
          emoji_name: plain,
          emoji_code: code,
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
    for (const { id, row } of new Set(this.#accountBySlackId.values())) {
      await tables.addRow('zerver_userprofile', row);
      await this.#addRecipientAndSubscriptionRows(id * 2, 1, id, [id]);
    }
    for (const name of ['zerver_stream', 'zerver_recipient', 'zerver_subscription'])
      await tables.ensureTableAndAddRows(name, []);
    await tables.joinTablesIntoAndRemoveParts(join(this.target, 'realm.json'));
    await writeFile(join(this.target, 'attachment.json'), '{"zerver_attachment": []}\n');
  }
}
