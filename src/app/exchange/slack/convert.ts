/**
 * Turns a Slack export (its unpacked folder) into an export of the peer's format, which is then imported as such.
 * Messages of all conversations are merged day by day, so that ids follow time; one day is in memory.
 */
import { lstat, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { JsonObject } from '#base';
import { emojiCodeOfName } from '#domain/markdown';
import { FAKE_EMAIL_DOMAIN, isEmail } from '#domain/people';
import { isSafeArchivePath } from '../format/archive.js';
import { ExportFormatError } from '../format/problem.js';
import { ExportTableRow } from '../format/row.js';
import { ExportTableWriter, ExportTextFileWriter } from '../format/writer.js';
import { EXPORTED_MESSAGE_FLAG_BITS } from '../tables/flags.js';
import { convertSlackTextToMarkdown, type SlackMentionNames } from './text.js';

const CHANNELS_FILE_NAME = 'channels.json';
const MESSAGES_PER_FILE = 1_000;
/** Maximum size of one file of messages, bytes. */
const MAX_FILE_BYTES = 256 * 1_048_576;
const IMPORTED_MESSAGE_TOPIC = 'imported from Slack';
const MAX_TOPIC_CHARACTERS = 60;
const DROPPED_MESSAGE_SUBTYPES: ReadonlySet<string> = new Set([
  'pinned_item',
  'unpinned_item',
  'channel_join',
  'channel_leave',
  'channel_name',
  'group_join',
  'group_leave',
]);
const ROLE_NUMBER = { owner: 100, admin: 200, member: 400, guest: 600 } as const;

/** True if the folder is a Slack export. */
export const isSlackExport = async (folder: string): Promise<boolean> =>
  (await lstat(join(folder, CHANNELS_FILE_NAME)).catch(() => undefined))?.isFile() ?? false;

interface ConvertedSlackAccount {
  readonly id: number;
  readonly name: string;
  readonly row: JsonObject;
}

interface ConvertedSlackConversation {
  readonly folder: string;
  readonly kind: 'stream' | 'group' | 'direct';
  readonly recipient: number;
  readonly members: readonly number[];
}

interface SlackMessageInConversation {
  readonly conversation: ConvertedSlackConversation;
  readonly message: ExportTableRow;
  readonly ts: number;
}

/** Writes the converted export into `target`, an empty folder. @throws ExportFormatError */
export const convertSlackExport = async (folder: string, target: string): Promise<void> =>
  new SlackConversion(folder, target).run();

class SlackConversion {
  readonly #tables: ExportTableWriter;
  readonly #accounts = new Map<string, ConvertedSlackAccount>();
  readonly #emails = new Set<string>();
  readonly #channels = new Map<string, string>();
  readonly #conversations: ConvertedSlackConversation[] = [];
  readonly #topicsByThread = new Map<string, string>();
  readonly #mentionNames: SlackMentionNames;
  #nextRecipient = 1;
  #messageCount = 0;
  #fileCount = 0;
  #bufferedMessageRows: { readonly row: JsonObject; readonly rows: readonly (readonly [number, number])[] }[] = [];

  constructor(
    private readonly folder: string,
    private readonly target: string,
  ) {
    this.#tables = new ExportTableWriter(target);
    this.#mentionNames = {
      user: (id) => this.#accounts.get(id)?.name,
      channel: (id) => this.#channels.get(id),
    };
  }

  async run(): Promise<void> {
    await mkdir(this.target, { recursive: true, mode: 0o700 });
    const users = await this.#readRowList('users.json');
    // The primary owner comes first: emoji and bots belong to the first owner.
    const sorted = [...users].sort((a, b) => Number(b.flag('is_primary_owner')) - Number(a.flag('is_primary_owner')));
    for (const user of sorted) this.#addUser(user);
    await this.#addConversations();
    for (const day of await this.#listDays()) await this.#convertDay(day);
    await this.#writeMessageFile();
    await this.#writeRemainingTables();
  }

  async #readRowList(name: string, optional = false): Promise<ExportTableRow[]> {
    const file = join(this.folder, name);
    const found = await lstat(file).catch(() => undefined);
    if (!found && optional) return [];
    if (!found?.isFile()) throw new ExportFormatError(`there is no file ${name}: this is no Slack export`);
    if (found.size > MAX_FILE_BYTES) throw new ExportFormatError(`${name} is larger than ${MAX_FILE_BYTES} bytes`);
    let parsed: unknown;
    try {
      parsed = JSON.parse(await readFile(file, 'utf8'));
    } catch {
      throw new ExportFormatError(`${name} is no JSON, or is truncated`);
    }
    if (!Array.isArray(parsed)) throw new ExportFormatError(`${name} is no list`);
    return parsed.map((fields) => new ExportTableRow(name, fields as JsonObject));
  }

  #addUser(user: ExportTableRow): void {
    const profile = new ExportTableRow(user.table, (user.rawValue('profile') ?? {}) as JsonObject);
    const login = user.text('name', user.text('id'));
    const deleted = user.flag('deleted');
    const real = user.text('real_name', profile.text('real_name'));
    const restricted = user.flag('is_restricted') || user.flag('is_ultra_restricted');
    const owner = user.flag('is_owner') || user.flag('is_primary_owner');
    const role = restricted
      ? ROLE_NUMBER.guest
      : owner
        ? ROLE_NUMBER.owner
        : user.flag('is_admin')
          ? ROLE_NUMBER.admin
          : ROLE_NUMBER.member;
    this.#addAccount(user.text('id'), deleted || real === '' ? login : real, {
      delivery_email: this.#emailAddressOf(profile.text('email'), login),
      role,
      is_active: !deleted,
      is_bot: user.flag('is_bot'),
      bot_type: user.flag('is_bot') ? 1 : null,
      timezone: user.text('tz'),
    });
    const bot = profile.text('bot_id');
    const account = this.#accounts.get(user.text('id'));
    if (bot !== '' && account) this.#accounts.set(bot, account);
  }

  /** Slack's exports have addresses only for owners of some plans; others get one without a mailbox. */
  #emailAddressOf(given: string, login: string): string {
    const local =
      login
        .toLowerCase()
        .replace(/[^a-z0-9_-]+/g, '-')
        .slice(0, 60) || 'user';
    let email = isEmail(given) ? given : `${local}@${FAKE_EMAIL_DOMAIN}`;
    for (let n = 2; this.#emails.has(email.toLowerCase()); n++) email = `${local}-${n}@${FAKE_EMAIL_DOMAIN}`;
    this.#emails.add(email.toLowerCase());
    return email;
  }

  #addAccount(key: string, name: string, fields: JsonObject): ConvertedSlackAccount {
    const known = this.#accounts.get(key);
    if (known) return known;
    const id = new Set(this.#accounts.values()).size + 1;
    const row = { id, full_name: name, email: fields.delivery_email!, avatar_source: 'G', ...fields };
    const account = { id, name, row };
    this.#accounts.set(key, account);
    return account;
  }

  #accountOfUser(key: string): ConvertedSlackAccount {
    const email = (): string => this.#emailAddressOf('', key);
    return (
      this.#accounts.get(key) ??
      this.#addAccount(key, key, { delivery_email: email(), role: ROLE_NUMBER.member, is_active: false })
    );
  }

  #accountOfBot(key: string, name: string): ConvertedSlackAccount {
    const known = this.#accounts.get(key);
    if (known) return known;
    const fields = {
      delivery_email: this.#emailAddressOf('', `${name || key}-bot`),
      role: ROLE_NUMBER.member,
      is_active: true,
    };
    return this.#addAccount(key, name || key, { ...fields, is_bot: true, bot_type: 1 });
  }

  /** Recipient ids of conversations are odd; those of people are their doubled ids. */
  #takeRecipientId(): number {
    this.#nextRecipient += 2;
    return this.#nextRecipient;
  }

  async #addConversations(): Promise<void> {
    let stream = 0;
    for (const [file, isPrivate] of [
      [CHANNELS_FILE_NAME, false],
      ['groups.json', true],
    ] as const) {
      for (const row of await this.#readRowList(file, isPrivate)) {
        const name = row.text('name');
        this.#channels.set(row.text('id'), name);
        const recipient = this.#takeRecipientId();
        const purpose = new ExportTableRow(file, (row.rawValue('purpose') ?? {}) as JsonObject);
        const archived = row.flag('is_archived');
        const members = this.#membersOf(row);
        await this.#tables.add('zerver_stream', {
          id: ++stream,
          realm: 1,
          name,
          description: purpose.text('value'),
          date_created: row.timeSeconds('created'),
          deactivated: archived,
          invite_only: isPrivate,
          history_public_to_subscribers: !isPrivate,
        });
        await this.#addRecipient(recipient, 2, stream, members);
        if (!archived && (row.flag('is_general') || name === 'general' || name === 'random')) {
          await this.#tables.add('zerver_defaultstream', { id: stream, realm: 1, stream });
        }
        this.#conversations.push({ folder: name, kind: 'stream', recipient, members });
      }
    }
    let group = 0;
    for (const row of await this.#readRowList('mpims.json', true)) {
      const recipient = this.#takeRecipientId();
      const members = this.#membersOf(row);
      await this.#tables.add('zerver_huddle', { id: ++group, huddle_hash: '', recipient });
      await this.#addRecipient(recipient, 3, group, members);
      this.#conversations.push({ folder: row.text('name'), kind: 'group', recipient, members });
    }
    for (const row of await this.#readRowList('dms.json', true)) {
      this.#conversations.push({ folder: row.text('id'), kind: 'direct', recipient: 0, members: this.#membersOf(row) });
    }
  }

  #membersOf(row: ExportTableRow): number[] {
    const given = row.rawValue('members');
    const keys = Array.isArray(given) ? given.filter((key): key is string => typeof key === 'string') : [];
    return [...new Set(keys.map((key) => this.#accountOfUser(key).id))];
  }

  async #addRecipient(id: number, type: number, typeId: number, members: readonly number[]): Promise<void> {
    await this.#tables.add('zerver_recipient', { id, type, type_id: typeId });
    for (const user of members) {
      const subscription = this.#tables.nextId('zerver_subscription');
      await this.#tables.add('zerver_subscription', {
        id: subscription,
        user_profile: user,
        recipient: id,
        active: true,
      });
    }
  }

  /** Days of all conversations, ascending, with the conversations that have a file for the day. */
  async #listDays(): Promise<(readonly [string, readonly ConvertedSlackConversation[]])[]> {
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

  async #convertDay([day, conversations]: readonly [string, readonly ConvertedSlackConversation[]]): Promise<void> {
    const sent: SlackMessageInConversation[] = [];
    for (const conversation of conversations) {
      for (const message of await this.#readRowList(`${conversation.folder}/${day}`)) {
        const ts = Number(message.text('ts'));
        if (!Number.isFinite(ts))
          throw new ExportFormatError(`${conversation.folder}/${day}: a message without a time`);
        sent.push({ conversation, message, ts });
      }
    }
    for (const one of sent.sort((a, b) => a.ts - b.ts)) await this.#convertMessage(one, day.slice(0, 10));
  }

  async #convertMessage({ conversation, message, ts }: SlackMessageInConversation, day: string): Promise<void> {
    const subtype = message.text('subtype');
    const sender = this.#senderOf(message);
    if (!sender || DROPPED_MESSAGE_SUBTYPES.has(subtype)) return;
    const { content: text, mentioned } = convertSlackTextToMarkdown(message.text('text'), this.#mentionNames);
    const parts = [subtype === 'me_message' ? `/me ${text}` : text, ...fileUrlsOf(message)].filter(
      (part) => part !== '',
    );
    if (parts.length === 0) return;
    const id = ++this.#messageCount;
    const ids = new Set(mentioned.map((key) => this.#accountOfUser(key).id));
    const other = conversation.members.find((user) => user !== sender.id) ?? sender.id;
    const recipient = conversation.kind === 'direct' ? other * 2 : conversation.recipient;
    const rows = conversation.members.map((user): readonly [number, number] => [
      user,
      EXPORTED_MESSAGE_FLAG_BITS.read |
        (ids.has(user) ? EXPORTED_MESSAGE_FLAG_BITS.mentioned : 0) |
        (conversation.kind === 'stream' ? 0 : EXPORTED_MESSAGE_FLAG_BITS.is_private),
    ]);
    this.#bufferedMessageRows.push({
      row: {
        id,
        sender: sender.id,
        recipient,
        subject: conversation.kind === 'stream' ? this.#topicOf(conversation, message, text, day) : '',
        content: parts.join('\n'),
        date_sent: ts,
        sending_client: 1,
      },
      rows,
    });
    await this.#addReactions(id, message);
    if (this.#bufferedMessageRows.length === MESSAGES_PER_FILE) await this.#writeMessageFile();
  }

  #senderOf(message: ExportTableRow): ConvertedSlackAccount | undefined {
    const file = message.rawValue('file') as JsonObject | undefined;
    const user = message.text('user') || (typeof file?.user === 'string' ? file.user : '');
    if (user !== '') return user === 'U00' ? undefined : this.#accountOfUser(user);
    const bot = message.text('bot_id');
    return bot === '' ? undefined : this.#accountOfBot(bot, message.text('username'));
  }

  /** A thread is a topic, named by its day and its first words. */
  #topicOf({ folder }: ConvertedSlackConversation, message: ExportTableRow, text: string, day: string): string {
    const thread = message.text('thread_ts');
    if (thread === '') return IMPORTED_MESSAGE_TOPIC;
    const key = `${folder}/${thread}`;
    let topic = this.#topicsByThread.get(key);
    if (topic === undefined) {
      const words = text
        .replace(/[\p{Cc}*`~[\]]+/gu, ' ')
        .replace(/\s+/g, ' ')
        .trim();
      const full = `${day} ${words}`.trim();
      topic =
        [...full].length > MAX_TOPIC_CHARACTERS
          ? `${[...full]
              .slice(0, MAX_TOPIC_CHARACTERS - 1)
              .join('')
              .trim()}…`
          : full;
      this.#topicsByThread.set(key, topic);
    }
    return topic;
  }

  async #addReactions(message: number, row: ExportTableRow): Promise<void> {
    const given = row.rawValue('reactions');
    const done = new Set<string>();
    for (const reaction of Array.isArray(given) ? given : []) {
      const { name, users } = reaction as { readonly name?: unknown; readonly users?: unknown };
      // Skin tones are one emoji here.
      const plain = String(name).split('::')[0]!;
      const code = emojiCodeOfName(plain);
      if (code === undefined) continue;
      for (const key of Array.isArray(users) ? users : []) {
        const user = this.#accounts.get(String(key));
        if (!user || done.has(`${code} ${user.id}`)) continue;
        done.add(`${code} ${user.id}`);
        await this.#tables.add('zerver_reaction', {
          id: this.#tables.nextId('zerver_reaction'),
          user_profile: user.id,
          message,
          emoji_name: plain,
          emoji_code: code,
          reaction_type: 'unicode_emoji',
        });
      }
    }
  }

  async #writeMessageFile(): Promise<void> {
    if (this.#bufferedMessageRows.length === 0) return;
    const file = await ExportTextFileWriter.create(
      join(this.target, `messages-${String(++this.#fileCount).padStart(6, '0')}.json`),
    );
    const rows = this.#bufferedMessageRows.flatMap(({ row, rows }) =>
      rows.map(([user_profile, flags_mask]) => ({ user_profile, message: row.id!, flags_mask })),
    );
    await file.add(
      JSON.stringify({ zerver_message: this.#bufferedMessageRows.map(({ row }) => row), zerver_usermessage: rows }),
    );
    await file.close();
    this.#bufferedMessageRows = [];
  }

  async #writeRemainingTables(): Promise<void> {
    const tables = this.#tables;
    await tables.add('zerver_realm', { id: 1, name: '', description: 'Imported from Slack' });
    await tables.add('zerver_client', { id: 1, name: 'Slack' });
    for (const { id, row } of new Set(this.#accounts.values())) {
      await tables.add('zerver_userprofile', row);
      await this.#addRecipient(id * 2, 1, id, [id]);
    }
    for (const name of ['zerver_stream', 'zerver_recipient', 'zerver_subscription']) await tables.addAll(name, []);
    await tables.joinTablesInto(join(this.target, 'realm.json'));
    await writeFile(join(this.target, 'attachment.json'), '{"zerver_attachment": []}\n');
  }
}

/** Links to the files of a message. Slack's exports have no bytes of files; their addresses need a log-in there. */
function fileUrlsOf(message: ExportTableRow): string[] {
  const given = message.rawValue('files');
  const files = (Array.isArray(given) ? given : []) as readonly JsonObject[];
  return files.flatMap(({ title, name, url_private: url, mode }) =>
    typeof url !== 'string' || mode === 'tombstone' || mode === 'hidden_by_limit'
      ? []
      : [`[${String(title || name || 'file').replace(/[[\]]/g, '')}](${url.replaceAll(' ', '%20')})`],
  );
}
