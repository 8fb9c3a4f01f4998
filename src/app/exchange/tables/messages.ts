/** Messages of an export: zerver_message with its edit history, zerver_usermessage, zerver_reaction. */
import type { Json, JsonObject } from '#base';
import { findTopicLinks, type MarkdownRenderResult, renderFailureHtml } from '#domain/markdown';
import {
  type MessageBody,
  type MessageRenderer,
  makeMarkdownRenderContext,
  type StoredMessage,
  type StoredMessageEdit,
  type StoredReaction,
  storeNameOfDirectConversation,
  toMessageRecord,
} from '#domain/messages';
import { addMessageToDailyCounts, type DailyMessageCounts } from '#domain/streams';
import { type EmojiReference, toUserId, type UserId } from '#model';
import type { DirectoryView, MessageRecord } from '#model/records';
import type { ExportFolder } from '../format/folder.js';
import { ExportTableRow } from '../format/row.js';
import type { ImportedOrganizationDraft } from '../import/draft.js';
import type { ImportedMessageCopies } from './copies.js';
import type { ImportedUploads } from './files.js';
import { EXPORTED_MESSAGE_FLAG_BITS, type ImportedUserMarks } from './flags.js';
import { ImportedLinkRewriter } from './links.js';
import { exportEmojiRef, importEmojiRef, topicOfExportRow } from './personal.js';

const NO_TOPIC = '(no topic)';
const MAX_CONTENT_CHARACTERS = 10_000;
const MAX_CACHED_TOPICS = 10_000;

/** Conversation of a message: a stream, or the participants of a direct message. */
interface ImportedMessageConversation {
  /** Id of the stream; 0 for direct messages. */
  readonly stream: number;
  readonly topic: string;
  readonly participants: readonly number[];
  /** The `recipient_id` of the message. */
  readonly recipient: number;
}

/** Rows of zerver_usermessage of one message: pairs of a user and a sum of `EXPORTED_MESSAGE_FLAG_BITS`. */
export type ExportedFlagRows = readonly number[];

/** A message whose conversation and flags are known, before its text is rendered. */
interface MessageWithNewId {
  readonly id: number;
  readonly row: ExportTableRow;
  readonly sender: number;
  readonly place: ImportedMessageConversation;
  readonly flags: MessageBody['flags'];
  readonly wildcard: boolean;
  readonly files: readonly string[];
}

/** Reactions of all messages in compact form: a million of them are read before the first message. */
export class ExportedReactions {
  readonly #distinctEmoji: EmojiReference[] = [];
  readonly #emojiIndexes = new Map<string, number>();
  /** Pairs of an index into `#emoji` and a user, in the order of the rows, by message. */
  readonly #reactionPairsByMessage = new Map<number, number[]>();

  import(row: ExportTableRow, draft: ImportedOrganizationDraft): void {
    const message = draft.messageIds.find(row.number('message'));
    const user = draft.userIds.find(row.number('user_profile'));
    const emoji = importEmojiRef(row, draft);
    if (message === undefined || user === undefined || !emoji) {
      draft.leftOut.add('reaction with an unknown emoji, user or message');
      return;
    }
    const known = this.#reactionPairsByMessage.get(message);
    if (known) known.push(this.#emojiIndexOf(emoji), user);
    else this.#reactionPairsByMessage.set(message, [this.#emojiIndexOf(emoji), user]);
    draft.countImportedRows('reactions');
  }

  #emojiIndexOf(emoji: EmojiReference): number {
    const key = `${emoji.type} ${emoji.code} ${emoji.name}`;
    let place = this.#emojiIndexes.get(key);
    if (place === undefined) {
      place = this.#distinctEmoji.push(emoji) - 1;
      this.#emojiIndexes.set(key, place);
    }
    return place;
  }

  removeReactionsOf(message: number): readonly StoredReaction[] | undefined {
    const found = this.#reactionPairsByMessage.get(message);
    if (!found) return undefined;
    this.#reactionPairsByMessage.delete(message);
    const reactions: StoredReaction[] = [];
    for (let i = 0; i < found.length; i += 2)
      reactions.push({ ...this.#distinctEmoji[found[i]!]!, user: found[i + 1]! });
    return reactions;
  }
}

/** Facts that a conversation's actor keeps about its messages. */
export interface ImportedConversation {
  readonly participants: readonly number[];
  readonly recipient: number;
  last: number;
}

/** Turns rows of messages into records, and collects the facts that actors keep about the messages. */
export class MessageImport {
  readonly #links: ImportedLinkRewriter;
  readonly #topicLinks = new Map<string, MessageBody['topicLinks']>();
  /** Newest message and spelling of each topic, by stream and topic key. */
  readonly topicsByStream = new Map<number, Map<string, { name: string; max: number }>>();
  readonly firstMessageIdsByStream = new Map<number, number>();
  readonly directConversations = new Map<string, ImportedConversation>();
  /** Message counts of the last weeks, by stream and day. */
  readonly dailyCountsByStream = new Map<number, DailyMessageCounts>();

  constructor(
    private readonly draft: ImportedOrganizationDraft,
    private readonly directory: DirectoryView,
    private readonly renderer: MessageRenderer,
    private readonly reactions: ExportedReactions,
    private readonly uploads: ImportedUploads,
    private readonly copies: ImportedMessageCopies,
    private readonly marks: ImportedUserMarks,
  ) {
    this.#links = new ImportedLinkRewriter(draft);
  }

  /**
   * Records conversation, receivers and flags of a message. Ids ascend from call to call.
   * @returns undefined if the message is left out
   */
  assignConversation(row: ExportTableRow, rows: ExportedFlagRows): MessageWithNewId | undefined {
    const { draft } = this;
    const id = draft.messageIds.find(row.id);
    if (id === undefined) throw row.makeRowError('the file changed while it was read');
    const sender = draft.userIds.getOrThrow(row.number('sender'), row.table);
    const place = this.#conversationOf(row, sender);
    if (!place) {
      this.reactions.removeReactionsOf(id);
      draft.leftOut.add('message to a recipient that the export does not contain');
      return undefined;
    }
    const sent = Math.floor(row.timeSeconds('date_sent'));
    const { flags, wildcard } =
      place.stream === 0 ? this.#flagDirectMessage(id, place, rows) : this.#flagStreamMessage(id, row.id, place, rows);
    if (place.stream !== 0) {
      this.#recordTopic(place, id);
      this.dailyCountsByStream.set(
        place.stream,
        addMessageToDailyCounts(this.dailyCountsByStream.get(place.stream), sent * 1000),
      );
    } else this.#recordDirectConversation(place, id);
    const files = draft.filePathsByMessage.get(id) ?? [];
    this.uploads.linkFilesToMessage(files, id, sent);
    return { id, row, sender, place, flags, wildcard, files };
  }

  #conversationOf(row: ExportTableRow, sender: number): ImportedMessageConversation | undefined {
    const { draft } = this;
    const recipient = draft.recipients.get(row.number('recipient'));
    if (!recipient) return undefined;
    if (recipient.kind === 'stream') {
      const stream = draft.streamIds.getOrThrow(recipient.of, row.table);
      const topic = topicOfExportRow(row.text('subject')) ?? NO_TOPIC;
      return { stream, topic, participants: [], recipient: draft.records.streams[stream - 1]!.recipient };
    }
    if (recipient.kind === 'user') {
      const user = draft.userIds.find(recipient.of);
      if (user === undefined) return undefined;
      const participants = [...new Set([sender, user])].sort((a, b) => a - b);
      return { stream: 0, topic: '', participants, recipient: user };
    }
    const group = draft.directGroups.get(recipient.of);
    if (!group) return undefined;
    const others = group.participants.filter((user) => user !== sender);
    const own = group.recipient === 0 ? (others[0] ?? sender) : group.recipient;
    return { stream: 0, topic: '', participants: group.participants, recipient: own };
  }

  #flagStreamMessage(id: number, old: number, { stream }: ImportedMessageConversation, rows: ExportedFlagRows) {
    const receivers = new Set<number>();
    const flags: Record<string, string[]> = {};
    let wildcard = false;
    for (let i = 0; i < rows.length; i += 2) {
      const user = rows[i]!;
      const mask = rows[i + 1]!;
      if ((mask & EXPORTED_MESSAGE_FLAG_BITS.historical) !== 0) this.marks.addMark(user, 'historical', id);
      else receivers.add(user);
      this.#applyUserFlags(user, stream, id, mask, flags);
      if ((mask & EXPORTED_MESSAGE_FLAG_BITS.wildcard_mentioned) !== 0) wildcard = true;
    }
    for (const user of this.copies.add(stream, old, id, receivers)) this.marks.addMessage(user, stream, id, false);
    return { flags, wildcard };
  }

  #flagDirectMessage(id: number, { participants }: ImportedMessageConversation, rows: ExportedFlagRows) {
    const flags: Record<string, string[]> = {};
    let wildcard = false;
    const missing = new Set(participants);
    for (let i = 0; i < rows.length; i += 2) {
      const user = rows[i]!;
      if (!missing.delete(user)) continue;
      this.#applyUserFlags(user, 0, id, rows[i + 1]!, flags);
      if ((rows[i + 1]! & EXPORTED_MESSAGE_FLAG_BITS.wildcard_mentioned) !== 0) wildcard = true;
    }
    // On this server every participant has the message; a participant without a row has read it.
    for (const user of missing) this.marks.addMessage(user, 0, id, true);
    return { flags, wildcard };
  }

  #applyUserFlags(user: number, origin: number, id: number, mask: number, flags: Record<string, string[]>): void {
    this.marks.addMessage(user, origin, id, (mask & EXPORTED_MESSAGE_FLAG_BITS.read) !== 0);
    if ((mask & EXPORTED_MESSAGE_FLAG_BITS.starred) !== 0) this.marks.addMark(user, 'starred', id);
    if ((mask & EXPORTED_MESSAGE_FLAG_BITS.collapsed) !== 0) this.marks.addMark(user, 'collapsed', id);
    const own: string[] = [];
    if ((mask & EXPORTED_MESSAGE_FLAG_BITS.mentioned) !== 0) own.push('mentioned');
    if ((mask & EXPORTED_MESSAGE_FLAG_BITS.has_alert_word) !== 0) own.push('has_alert_word');
    if (own.length > 0) flags[user] = own;
  }

  #recordTopic({ stream, topic }: ImportedMessageConversation, id: number): void {
    let topics = this.topicsByStream.get(stream);
    if (!topics) {
      topics = new Map();
      this.topicsByStream.set(stream, topics);
      this.firstMessageIdsByStream.set(stream, id);
    }
    topics.set(topic.toLowerCase(), { name: topic, max: id });
  }

  #recordDirectConversation({ participants, recipient }: ImportedMessageConversation, id: number): void {
    const conversation = storeNameOfDirectConversation(this.draft.facts.realm, participants.map(toUserId));
    const known = this.directConversations.get(conversation);
    if (known) known.last = id;
    else
      this.directConversations.set(conversation, {
        participants,
        recipient: participants.length > 2 ? recipient : 0,
        last: id,
      });
  }

  /** Renders a message and makes its record. */
  async makeRecord({ id, row, sender, place, flags, wildcard, files }: MessageWithNewId): Promise<MessageRecord> {
    const content = this.#contentOf(row, 'content');
    const rendered = await this.#render(content, sender);
    const reactions = this.reactions.removeReactionsOf(id);
    const edits = await this.#importEdits(row, place, sender);
    const body: MessageBody = {
      content,
      html: rendered?.html ?? renderFailureHtml('Conclave'),
      topic: place.topic,
      sent: Math.floor(row.timeSeconds('date_sent')),
      client: this.draft.clientNames.get(row.numberOr('sending_client', -1)) ?? 'import',
      recipient: place.recipient,
      stream: place.stream,
      rev: 1,
      flags,
      wildcard,
      topicLinks: this.#topicLinksOf(place.topic),
      has: { link: rendered?.hasLink ?? false, image: rendered?.hasImage ?? false },
      ...(reactions ? { reactions } : {}),
      ...(edits.length > 0 ? { edits } : {}),
      ...(files.length > 0 ? { files } : {}),
    };
    const message: StoredMessage = {
      id,
      sender,
      participants: place.participants,
      originStream: place.stream,
      body,
    };
    const direct =
      place.stream === 0 ? storeNameOfDirectConversation(this.draft.facts.realm, place.participants.map(toUserId)) : '';
    return toMessageRecord(message, direct);
  }

  #render(content: string, sender: number): Promise<MarkdownRenderResult | null> {
    return this.renderer.render(content, this.directory, this.draft.facts.origin, sender);
  }

  #contentOf(row: ExportTableRow, field: string): string {
    const text = row.text(field).replaceAll('\u0000', '');
    return this.#links.rewrite(
      text.length > MAX_CONTENT_CHARACTERS * 2 ? [...text].slice(0, MAX_CONTENT_CHARACTERS).join('') : text,
    );
  }

  #topicLinksOf(topic: string): MessageBody['topicLinks'] {
    if (topic === '' || (this.directory.linkifiers().length === 0 && !topic.includes('://'))) return [];
    let links = this.#topicLinks.get(topic);
    if (!links) {
      if (this.#topicLinks.size >= MAX_CACHED_TOPICS) this.#topicLinks.clear();
      const found = findTopicLinks(topic, makeMarkdownRenderContext(this.directory, this.draft.facts.origin));
      links = found.map(({ text, url }) => ({ text, url }));
      this.#topicLinks.set(topic, links);
    }
    return links;
  }

  /** Makes the edit history, newest first. Earlier texts are rendered like the present one. */
  async #importEdits(
    row: ExportTableRow,
    place: ImportedMessageConversation,
    sender: number,
  ): Promise<StoredMessageEdit[]> {
    const text = row.text('edit_history');
    if (text === '' || text === '[]') return [];
    const edits: StoredMessageEdit[] = [];
    // Older servers record only the topic that a message left: the new topic is in the next newer entry.
    let topic = place.topic;
    for (const entry of parseEditHistory(text, row)) {
      const edit = await this.#importEdit(entry, topic, sender);
      if (edit.topic) topic = edit.topic.from;
      edits.push(edit);
    }
    return edits;
  }

  async #importEdit(entry: ExportTableRow, topic: string, sender: number): Promise<StoredMessageEdit> {
    const { draft } = this;
    const user = (entry.has('user_id') ? draft.userIds.find(entry.number('user_id')) : undefined) ?? sender;
    const from = entry.has('prev_topic') ? entry.text('prev_topic') : entry.text('prev_subject', '\u0000');
    const raw = entry.has('prev_content') ? this.#contentOf(entry, 'prev_content') : undefined;
    const [before, after] = ['prev_stream', 'stream'].map((name) =>
      entry.has(name) ? draft.streamIds.find(entry.number(name)) : undefined,
    );
    const html = raw === undefined ? '' : ((await this.#render(raw, sender))?.html ?? renderFailureHtml('Conclave'));
    return {
      user,
      at: Math.floor(entry.timeSeconds('timestamp')),
      ...(raw === undefined ? {} : { content: { raw, html } }),
      ...(from === '\u0000' ? {} : { topic: { from, to: entry.text('topic', topic) } }),
      ...(before !== undefined && after !== undefined ? { stream: { from: before, to: after } } : {}),
    };
  }
}

function parseEditHistory(text: string, row: ExportTableRow): ExportTableRow[] {
  try {
    const entries = JSON.parse(text) as unknown;
    if (!Array.isArray(entries)) throw new Error();
    return entries.map((entry) => new ExportTableRow(row.table, { ...(entry as JsonObject), id: row.id }));
  } catch {
    throw row.makeRowError('edit_history is no list of edits');
  }
}

/** A message of a file, with the rows of its receivers. */
export interface ExportedMessageWithFlagRows {
  readonly row: ExportTableRow;
  readonly rows: ExportedFlagRows;
}

/** Reads a file of messages. At most 1,000 messages and their rows are in memory at a time. */
export async function readExportedMessageFile(
  folder: ExportFolder,
  name: string,
  draft: ImportedOrganizationDraft,
): Promise<ExportedMessageWithFlagRows[]> {
  const messages: { readonly row: ExportTableRow; readonly rows: number[] }[] = [];
  const byId = new Map<number, number[]>();
  // The file may have the rows of receivers before the messages.
  const rowsOf = (message: number): number[] => {
    let rows = byId.get(message);
    if (!rows) {
      rows = [];
      byId.set(message, rows);
    }
    return rows;
  };
  for await (const batch of folder.readRowChunks(name)) {
    for (const row of batch) {
      if (row.table === 'zerver_message') messages.push({ row, rows: rowsOf(row.id) });
      else if (row.table === 'zerver_usermessage') {
        rowsOf(row.number('message')).push(
          draft.userIds.getOrThrow(row.number('user_profile'), row.table),
          row.number('flags_mask'),
        );
      }
    }
  }
  return messages;
}

/** Makes the row of zerver_message. */
export function exportMessage({ id, sender, body }: StoredMessage, clients: ReadonlyMap<string, number>): JsonObject {
  const edits = body.edits ?? [];
  return {
    id,
    sender,
    recipient: body.recipient,
    realm: 1,
    subject: body.topic,
    content: body.content,
    rendered_content: body.html,
    rendered_content_version: 1,
    date_sent: body.sent,
    sending_client: clients.get(body.client) ?? 1,
    last_edit_time: edits[0]?.at ?? null,
    edit_history: edits.length === 0 ? null : JSON.stringify(edits.map(exportEdit)),
    has_attachment: (body.files?.length ?? 0) > 0,
    has_image: body.has.image,
    has_link: body.has.link,
    search_tsvector: null,
  };
}

const exportEdit = ({ user, at, content, topic, stream }: StoredMessageEdit): JsonObject => ({
  user_id: user,
  timestamp: at,
  ...(content
    ? { prev_content: content.raw, prev_rendered_content: content.html, prev_rendered_content_version: 1 }
    : {}),
  ...(topic ? { prev_topic: topic.from, topic: topic.to } : {}),
  ...(stream ? { prev_stream: stream.from, stream: stream.to } : {}),
});

export const exportReaction = (id: number, message: number, { user, ...emoji }: StoredReaction): JsonObject => ({
  id,
  user_profile: user,
  message,
  ...exportEmojiRef(emoji),
});

/** Imports zerver_scheduledmessage into parts of the senders. */
export async function importScheduledMessages(
  row: ExportTableRow,
  draft: ImportedOrganizationDraft,
  numberOf: (user: UserId) => number,
  render: (content: string, sender: number) => Promise<MarkdownRenderResult | null>,
): Promise<void> {
  if (row.flag('delivered') || row.numberOr('delivery_type', 1) !== 1) return;
  const sender = draft.userIds.getOrThrow(row.number('sender'), row.table);
  const recipient = draft.recipients.get(row.number('recipient'));
  const place = recipient && scheduledConversationOf(row, recipient.kind, recipient.of, sender, draft);
  if (!place) {
    draft.leftOut.add('scheduled message to an unknown recipient');
    return;
  }
  const id = numberOf(toUserId(sender));
  const at = Math.floor(row.timeSeconds('scheduled_timestamp'));
  const failed = row.flag('failed');
  const content = new ImportedLinkRewriter(draft).rewrite(row.text('content'));
  const rendered = await render(content, sender);
  const message: Record<string, Json> = {
    id,
    ...place,
    content,
    html: rendered?.html ?? renderFailureHtml('Conclave'),
    wildcard: rendered?.mentions.wildcard ?? false,
    at,
    phase: failed ? 'failed' : 'waiting',
    client: draft.clientNames.get(row.numberOr('sending_client', -1)) ?? 'import',
    origin: draft.facts.origin,
  };
  draft.addUserParts(sender, { [`scheduled/${id}`]: message });
  draft.userStates.set(sender, { ...draft.userStates.get(sender), lastScheduled: id });
  if (!failed)
    draft.userDueTimesMs.set(sender, Math.min(at * 1000, draft.userDueTimesMs.get(sender) ?? Number.POSITIVE_INFINITY));
  draft.countImportedRows('scheduled messages');
}

function scheduledConversationOf(
  row: ExportTableRow,
  kind: string,
  of: number,
  sender: number,
  draft: ImportedOrganizationDraft,
) {
  if (kind === 'stream') {
    const topic = topicOfExportRow(row.text('subject'));
    const stream = draft.streamIds.find(of);
    return stream === undefined ? undefined : { type: 'stream', to: [stream], topic: topic ?? NO_TOPIC };
  }
  const user = draft.userIds.find(of);
  const people = kind === 'group' ? draft.directGroups.get(of)?.participants : user === undefined ? undefined : [user];
  if (!people) return undefined;
  const others = people.filter((one) => one !== sender);
  return { type: 'private', to: others.length > 0 ? others : [sender], topic: '' };
}
