/**
 * Generator of an organization in the peer's export format. The result also lists the expected messages, each with the
 * flags of every user who has a copy. Equal seeds give equal organizations.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { JsonObject } from '#base';

export interface GeneratedMessage {
  /** Position in the order of sending, from 1. Equals the message id after the import. */
  readonly rank: number;
  readonly id: number;
  readonly sender: number;
  /** Stream id in the export; 0 for direct messages. */
  readonly stream: number;
  readonly topic: string;
  readonly participants: readonly number[];
  readonly content: string;
  readonly sent: number;
  /** Bit mask of message flags by user id. */
  readonly rows: ReadonlyMap<number, number>;
}

export interface GeneratedUser {
  readonly id: number;
  readonly email: string;
  readonly role: number;
  readonly active: boolean;
}

export interface GeneratedStream {
  readonly id: number;
  readonly name: string;
  readonly inviteOnly: boolean;
  readonly historyPublic: boolean;
  readonly members: ReadonlySet<number>;
}

export interface GeneratedOrganization {
  readonly users: readonly GeneratedUser[];
  readonly streams: readonly GeneratedStream[];
  readonly messages: readonly GeneratedMessage[];
  readonly reactions: number;
  readonly files: number;
}

export interface OrganizationSize {
  readonly people: number;
  readonly streams: number;
  readonly messages: number;
  readonly seed: number;
  /** Whether message ids don't follow time. The export then says so (`sort_by_date`), as converters' exports do. */
  readonly sortedByDate?: boolean;
}

const READ = 1;
const STARRED = 2;
const MENTIONED = 8;
const PRIVATE = 2048;
const MESSAGES_PER_FILE = 1_000;
/** Approximate maximum of members per stream: the export has a row per message and member. */
const MAX_STREAM_MEMBERS = 40;
/** First ids in the export. They differ by kind and from the ids after the import, so no id matches by chance. */
const FIRST_IDS = { user: 501, stream: 301, recipient: 7_001, message: 90_001 };
const START_S = 1_600_000_000;
const ROLES = [100, 200, 300, 400, 400, 400, 400, 600];
const WORDS = 'tide **pier** gull anchor `knot` lamp harbour :smile: keel rope mast sail'.split(' ');

/** Writes the export files into a folder. */
export function makeExportedOrganization(folder: string, size: OrganizationSize): GeneratedOrganization {
  return new ExportGenerator(folder, size).make();
}

class ExportGenerator {
  #state: number;
  readonly #users: GeneratedUser[] = [];
  readonly #streams: (GeneratedStream & { readonly members: Set<number> })[] = [];
  readonly #messages: GeneratedMessage[] = [];
  readonly #reactions: JsonObject[] = [];
  readonly #attachments: (JsonObject & { readonly messages: number[] })[] = [];
  readonly #groups: { readonly id: number; readonly recipient: number; readonly members: readonly number[] }[] = [];

  constructor(
    private readonly folder: string,
    private readonly size: OrganizationSize,
  ) {
    this.#state = size.seed;
  }

  make(): GeneratedOrganization {
    this.#makePeople();
    this.#makeMessages();
    this.#write('realm.json', { ...this.#tables(), ...(this.size.sortedByDate ? { sort_by_date: true } : {}) });
    this.#write('attachment.json', { zerver_attachment: this.#attachments });
    for (const name of ['avatars', 'emoji', 'realm_icons']) this.#write(`${name}/records.json`, []);
    return {
      users: this.#users,
      streams: this.#streams,
      messages: this.#messages,
      reactions: this.#reactions.length,
      files: this.#attachments.length,
    };
  }

  /** Random integer from 0 up to, but not including, `below`. */
  #random(below: number): number {
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((this.#state / 2 ** 32) * below);
  }

  #pick<T>(of: readonly T[]): T {
    return of[this.#random(of.length)]!;
  }

  #makePeople(): void {
    for (let i = 0; i < this.size.people; i++) {
      const id = FIRST_IDS.user + i;
      const role = ROLES[i % ROLES.length]!;
      this.#users.push({ id, email: `person${i}@made.example`, role, active: i % 11 !== 10 });
    }
    for (let i = 0; i < this.size.streams; i++) {
      const inviteOnly = i % 3 === 1;
      // A third of the users, at most about 40 per stream: the export has a row per message and member.
      const share = Math.max(3, Math.ceil(this.size.people / MAX_STREAM_MEMBERS));
      const members = new Set(
        this.#users.filter((_, person) => this.#random(share) === 0 || person === 0).map(({ id }) => id),
      );
      this.#streams.push({
        id: FIRST_IDS.stream + i,
        name: `Stream ${i}`,
        inviteOnly,
        historyPublic: !inviteOnly || i % 2 === 0,
        members,
      });
    }
    for (let i = 0; i < 3 && this.size.people > 3; i++) {
      const members = [0, 1 + i, 2 + i].map((person) => this.#users[person % this.#users.length]!.id);
      this.#groups.push({ id: 40 + i, recipient: 60_000 + i, members: [...new Set(members)].sort((a, b) => a - b) });
    }
  }

  #makeMessages(): void {
    let waiting: { readonly row: JsonObject; readonly made: GeneratedMessage }[] = [];
    let files = 0;
    const write = (): void => {
      if (waiting.length === 0) return;
      const rows = waiting.flatMap(({ made }) =>
        [...made.rows].map(([user_profile, flags_mask]) => ({ user_profile, message: made.id, flags_mask })),
      );
      if (this.size.sortedByDate) waiting.reverse();
      this.#write(`messages-${String(++files).padStart(6, '0')}.json`, {
        zerver_message: waiting.map(({ row }) => row),
        zerver_usermessage: rows.map((row, i) => ({ id: i + 1, ...row })),
      });
      waiting = [];
    };
    for (let rank = 1; rank <= this.size.messages; rank++) {
      const made = this.#random(6) === 0 ? this.#makeDirect(rank) : this.#makeInStream(rank);
      this.#messages.push(made);
      waiting.push({ row: this.#rowOf(made), made });
      this.#react(made);
      if (waiting.length === MESSAGES_PER_FILE) write();
    }
    write();
  }

  #makeInStream(rank: number): GeneratedMessage {
    const stream = this.#pick(this.#streams);
    if (this.#random(40) === 0) this.#joinOrLeave(stream);
    const id = this.#idOf(rank);
    const members = [...stream.members];
    const sender = members.length > 0 ? this.#pick(members) : this.#users[0]!.id;
    const mentioned = this.#random(5) === 0 && members.length > 0 ? this.#pick(members) : undefined;
    const rows = new Map<number, number>();
    for (const user of members) {
      if (!this.#users[user - FIRST_IDS.user]!.active) continue;
      rows.set(user, this.#flagsOf(rank, user, sender) | (user === mentioned ? MENTIONED : 0));
    }
    const topic = `Topic ${this.#random(7)}`;
    const name = mentioned === undefined ? '' : ` @**Person ${mentioned - FIRST_IDS.user}|${mentioned}**`;
    const link =
      rank > 10 && this.#random(10) === 0
        ? ` [before](#narrow/stream/${stream.id}-x/topic/Topic/near/${this.#idOf(rank - 5)})`
        : '';
    const content = `${this.#words()}${name}${link}${this.#attach(rank, sender)}`;
    return { rank, id, sender, stream: stream.id, topic, participants: [], content, sent: START_S + rank * 60, rows };
  }

  #joinOrLeave(stream: { readonly members: Set<number> }): void {
    const user = this.#pick(this.#users).id;
    // User 0 never leaves a stream, so that a stream always has a sender.
    if (user === FIRST_IDS.user) return;
    if (!stream.members.delete(user)) stream.members.add(user);
  }

  #makeDirect(rank: number): GeneratedMessage {
    const group = this.#random(3) === 0 && this.#groups.length > 0 ? this.#pick(this.#groups) : undefined;
    const pair = [this.#pick(this.#users).id, this.#pick(this.#users).id];
    const participants = group ? [...group.members] : [...new Set(pair)].sort((a, b) => a - b);
    const sender = this.#pick(participants);
    const rows = new Map(participants.map((user) => [user, this.#flagsOf(rank, user, sender) | PRIVATE]));
    const content = this.#words();
    const id = this.#idOf(rank);
    return { rank, id, sender, stream: 0, topic: '', participants, content, sent: START_S + rank * 60, rows };
  }

  /** Flags of a user's copy: 98 % of the older half of the messages are read, and 25 % of the newer half. */
  #flagsOf(rank: number, user: number, sender: number): number {
    const isRead = user === sender || (rank < this.size.messages / 2 ? this.#random(50) > 0 : this.#random(4) === 0);
    return (isRead ? READ : 0) | (this.#random(30) === 0 ? STARRED : 0);
  }

  /** Message id in the export, with gaps as deleted messages leave them. */
  #idOf(rank: number): number {
    return FIRST_IDS.message + (this.size.sortedByDate ? 10_000_000 - rank : rank) * 3;
  }

  #words(): string {
    return Array.from({ length: 3 + this.#random(20) }, () => this.#pick(WORDS)).join(' ');
  }

  /**
   * Attaches a new file to one message in 60.
   * @returns text of the link to the file; empty without a file
   */
  #attach(rank: number, owner: number): string {
    if (this.#random(60) !== 0) return '';
    const token = createHash('sha256').update(`file ${rank}`).digest('base64url').slice(0, 24);
    const path = `9/a${(rank % 16).toString(16)}/${token}/notes-${rank}.txt`;
    const bytes = `bytes of ${rank}`;
    this.#writeText(`uploads/${path}`, bytes);
    this.#attachments.push({
      id: this.#attachments.length,
      file_name: `notes ${rank}.txt`,
      path_id: path,
      owner,
      realm: 9,
      create_time: START_S + rank * 60 - 5,
      size: bytes.length,
      is_realm_public: true,
      is_web_public: false,
      messages: [this.#idOf(rank)],
      scheduled_messages: [],
    });
    return ` [notes](/user_uploads/${path})`;
  }

  #rowOf({ rank, id, sender, stream, topic, participants, content, sent }: GeneratedMessage): JsonObject {
    const edited = rank % 20 === 0;
    const history = [
      { user_id: sender, timestamp: sent + 30, prev_content: `first ${content}`, prev_rendered_content: '<p>old</p>' },
    ];
    return {
      id,
      sender,
      recipient: stream === 0 ? this.#recipientOf(sender, participants) : this.#streamRecipient(stream),
      realm: 9,
      subject: topic,
      content,
      rendered_content: null,
      rendered_content_version: null,
      date_sent: sent + 0.25,
      sending_client: 3,
      last_edit_time: edited ? sent + 30 : null,
      edit_history: edited ? JSON.stringify(history) : null,
      has_attachment: content.includes('/user_uploads/'),
      has_image: false,
      has_link: false,
      search_tsvector: null,
    };
  }

  #streamRecipient(stream: number): number {
    return FIRST_IDS.recipient + this.size.people + stream - FIRST_IDS.stream;
  }

  #userRecipient(user: number): number {
    return FIRST_IDS.recipient + user - FIRST_IDS.user;
  }

  #recipientOf(sender: number, participants: readonly number[]): number {
    if (participants.length > 2) {
      return this.#groups.find(({ members }) => members.join() === participants.join())!.recipient;
    }
    return this.#userRecipient(participants.find((user) => user !== sender) ?? sender);
  }

  #react({ id, rows, rank }: GeneratedMessage): void {
    if (this.#random(12) !== 0 || rows.size === 0) return;
    this.#reactions.push({
      id: rank,
      user_profile: this.#pick([...rows.keys()]),
      message: id,
      emoji_name: 'heart',
      emoji_code: '2764',
      reaction_type: 'unicode_emoji',
    });
  }

  #tables(): JsonObject {
    const recipients: JsonObject[] = [];
    const subscriptions: JsonObject[] = [];
    const subscribe = (user_profile: number, recipient: number, active = true, more: JsonObject = {}): void => {
      const id = subscriptions.length + 1;
      subscriptions.push({ id, user_profile, recipient, active, is_user_active: true, color: '#76ce90', ...more });
    };
    for (const { id } of this.#users) {
      recipients.push({ id: this.#userRecipient(id), type: 1, type_id: id });
      subscribe(id, this.#userRecipient(id));
    }
    for (const { id, members } of this.#streams) {
      recipients.push({ id: this.#streamRecipient(id), type: 2, type_id: id });
      for (const user of members) subscribe(user, this.#streamRecipient(id), true, { is_muted: user % 7 === 0 });
      // The peer keeps the subscription rows of users who left a stream. Half of them are left out: some exports lack
      // them.
      for (const { id: user } of this.#users) {
        if (!members.has(user) && user % 2 === 0) subscribe(user, this.#streamRecipient(id), false);
      }
    }
    for (const { id, recipient, members } of this.#groups) {
      recipients.push({ id: recipient, type: 3, type_id: id });
      for (const user of members) subscribe(user, recipient);
    }
    const [first, second] = this.#users;
    return {
      zerver_client: [{ id: 3, name: 'website' }],
      zerver_realm: [{ id: 9, name: 'Made', string_id: 'made', date_created: START_S, invite_required: false }],
      zerver_realmauthenticationmethod: [],
      zerver_realmdomain: [{ id: 1, realm: 9, domain: 'made.example', allow_subdomains: true }],
      zerver_realmemoji: [],
      zerver_realmfilter: [{ id: 1, realm: 9, pattern: '#(?P<id>[0-9]+)', url_template: 'https://bugs.example/{id}' }],
      zerver_realmplayground: [],
      zerver_defaultstream: [{ id: 1, realm: 9, stream: this.#streams[0]!.id }],
      zerver_stream: this.#streams.map(({ id, name, inviteOnly, historyPublic }) => ({
        id,
        realm: 9,
        name,
        description: `About ${name}`,
        date_created: START_S,
        deactivated: false,
        invite_only: inviteOnly,
        history_public_to_subscribers: historyPublic,
        is_web_public: false,
        stream_post_policy: 1,
        message_retention_days: null,
        can_remove_subscribers_group: null,
      })),
      zerver_userprofile: this.#users.map(({ id, email, role, active }) => ({
        id,
        delivery_email: email,
        email,
        full_name: `Person ${id - FIRST_IDS.user}`,
        date_joined: START_S,
        role,
        is_active: active,
        is_bot: false,
        timezone: 'Europe/Berlin',
        avatar_source: 'G',
        email_address_visibility: 1,
        twenty_four_hour_time: id % 2 === 0,
      })),
      zerver_userprofile_crossrealm: [],
      zerver_userprofile_mirrordummy: [],
      zerver_huddle: this.#groups.map(({ id, recipient }) => ({ id, huddle_hash: '', recipient })),
      zerver_recipient: recipients,
      zerver_subscription: subscriptions,
      zerver_reaction: this.#reactions,
      zerver_userpresence: [],
      zerver_useractivity: [],
      zerver_useractivityinterval: [],
      zerver_customprofilefield: [
        {
          id: 5,
          realm: 9,
          name: 'Boat',
          hint: '',
          order: 1,
          field_type: 1,
          field_data: '',
          display_in_profile_summary: true,
        },
        {
          id: 6,
          realm: 9,
          name: 'Crew',
          hint: '',
          order: 2,
          field_type: 6,
          field_data: '',
          display_in_profile_summary: false,
        },
      ],
      zerver_customprofilefieldvalue: [
        { id: 1, user_profile: first!.id, field: 5, value: 'Kittiwake', rendered_value: null },
        { id: 2, user_profile: first!.id, field: 6, value: `[${second!.id}]`, rendered_value: null },
      ],
      zerver_usergroup: [
        { id: 12, realm: 9, name: '@role:members', description: '', is_system_group: true },
        { id: 13, realm: 9, name: 'crew', description: 'Those aboard', is_system_group: false },
      ],
      zerver_usergroupmembership: [{ id: 1, user_group: 13, user_profile: second!.id }],
      zerver_groupgroupmembership: [],
      zerver_alertword: [{ id: 1, realm: 9, user_profile: first!.id, word: 'storm' }],
      zerver_muteduser: [{ id: 1, user_profile: first!.id, muted_user: second!.id, date_muted: START_S }],
      zerver_usertopic: [
        {
          id: 1,
          user_profile: first!.id,
          stream: this.#streams[0]!.id,
          recipient: this.#streamRecipient(this.#streams[0]!.id),
          topic_name: 'Topic 1',
          last_updated: START_S,
          visibility_policy: 1,
        },
      ],
      zerver_scheduledmessage: [
        {
          id: 1,
          realm: 9,
          sender: first!.id,
          recipient: this.#streamRecipient(this.#streams[0]!.id),
          stream: this.#streams[0]!.id,
          subject: 'Topic 2',
          content: 'for later',
          rendered_content: '',
          sending_client: 3,
          scheduled_timestamp: 4_000_000_000,
          delivered: false,
          failed: false,
          delivery_type: 1,
        },
      ],
    };
  }

  #write(name: string, value: JsonObject | readonly JsonObject[]): void {
    this.#writeText(name, JSON.stringify(value));
    if (name === 'attachment.json') {
      const records = this.#attachments.map(({ path_id: path, owner }) => ({
        path,
        s3_path: path,
        user_profile_id: owner,
      }));
      this.#writeText('uploads/records.json', JSON.stringify(records));
    }
  }

  #writeText(name: string, text: string): void {
    const file = join(this.folder, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}
