/** Messages of an export: zerver_message with its edit history, zerver_usermessage. */
import type { Json, JsonObject } from '#base';
import { findTopicLinks, type MarkdownRenderResult, makeRenderFailureHtml } from '#domain/markdown';
import {
  type MessageBody,
  makeWidgetSubmessageIfAny,
  type StoredMessage,
  type StoredMessageEdit,
  storeNameOfDirectConversation,
  truncateMessageContent,
} from '#domain/messages';
import { type DailyMessageCounts, withMessageAddedToDailyCounts } from '#domain/streams';
import { toUserId, type UserId } from '#model';
import type { DirectoryView } from '#model/records';
import { EXPORTED_MESSAGE_FLAG_BITS } from '../format/flag-bits.js';
import { ExportFormatError } from '../format/problem.js';
import { CheckedExportRow, isJsonObject } from '../format/row.js';
import type { ImportedOrganizationDraft } from '../import/draft.js';
import { MESSAGE_TABLE, type MessageFileContent, requireReceiverId } from '../import/message-files.js';
import type { UnrenderedMessage, UnrenderedMessageEdit } from '../import/message-writer.js';
import { ImportedDirectConversations } from './conversations.js';
import type { ImportedMessageCopies } from './copies.js';
import type { ImportedUploads } from './files.js';
import type { ImportedReadStatesAndMarks } from './flags.js';
import { ImportedLinkRewriter } from './links.js';
import { hasNewerMentions, topicMentionBitsOfHtml } from './newer-mentions.js';
import { toImportedTopic } from './personal.js';
import type { ExportedReactions } from './reactions.js';
import type { ExportedSubmessages } from './submessages.js';

const MAX_TOPICS_WITH_CACHED_LINKS = 10_000;
/** Type of a message that is sent later; the other type is a reminder. */
const SEND_LATER_DELIVERY_TYPE = 1;

/** Conversation of a message: a stream, or the participants of a direct message. */
interface ImportedMessageConversation {
  /** Id of the stream; 0 for direct messages. */
  readonly stream: number;
  readonly topic: string;
  readonly participants: readonly number[];
  /** The `recipient_id` of the message. */
  readonly recipient: number;
}

/** Rows of zerver_usermessage of a message: pairs of an exported user id and a sum of `EXPORTED_MESSAGE_FLAG_BITS`. */
type UserAndFlagMaskPairs = Float64Array;

/** A message whose conversation and flags are known, before its text is rendered. */
export interface ImportedMessageBeforeRendering {
  readonly id: number;
  readonly row: CheckedExportRow;
  readonly sender: number;
  readonly place: ImportedMessageConversation;
  readonly flags: MessageBody['flags'];
  readonly wildcard: boolean;
  readonly files: readonly string[];
  /** Submessages in the export; undefined if there are none. */
  readonly submessages: MessageBody['submessages'];
  /** Name of the client that sent the message. */
  readonly client: string;
  /** Edits, newest first. */
  readonly edits: readonly UnrenderedMessageEdit[];
}

/** Turns rows of messages into records, and collects the facts that actors keep about the messages. */
export class MessageImport {
  readonly #linkRewriter: ImportedLinkRewriter;
  readonly #cachedLinksByTopic = new Map<string, MessageBody['topicLinks']>();
  /** Newest message and spelling of each topic, by stream and topic key. */
  readonly newestInTopicByStream = new Map<number, Map<string, { name: string; max: number }>>();
  readonly firstMessageIdByStreamId = new Map<number, number>();
  readonly directConversations = new ImportedDirectConversations();
  /** Message counts of the last weeks, by stream and day. */
  readonly dailyMessageCountsByStreamId = new Map<number, DailyMessageCounts>();

  constructor(
    private readonly draft: ImportedOrganizationDraft,
    private readonly directory: DirectoryView,
    private readonly reactions: ExportedReactions,
    private readonly submessages: ExportedSubmessages,
    private readonly uploads: ImportedUploads,
    private readonly copies: ImportedMessageCopies,
    private readonly marks: ImportedReadStatesAndMarks,
  ) {
    this.#linkRewriter = new ImportedLinkRewriter(draft);
  }

  /**
   * Records conversations, receivers and flags of the messages of a file, slice by slice.
   * @returns for each slice, the messages that are not left out
   * @throws ExportFormatError for a row of a receiver who is no user of the export, among others
   */
  *recordFile({
    rowSlices,
    receivers,
    receiverCounts,
  }: MessageFileContent): Generator<ImportedMessageBeforeRendering[]> {
    let at = 0;
    let rowNumber = 0;
    for (const slice of rowSlices) {
      const recorded: ImportedMessageBeforeRendering[] = [];
      for (const fields of JSON.parse(slice) as JsonObject[]) {
        const end = at + 2 * receiverCounts[rowNumber++]!;
        const row = new CheckedExportRow(MESSAGE_TABLE, fields);
        const message = this.#recordConversationAndFlags(row, receivers.subarray(at, end));
        if (message) recorded.push(message);
        at = end;
      }
      yield recorded;
    }
    this.#requireUsersOfRows(receivers.subarray(at));
  }

  #requireUsersOfRows(rows: UserAndFlagMaskPairs): void {
    for (let i = 0; i < rows.length; i += 2) requireReceiverId(this.draft.userIdMap, rows[i]!);
  }

  /**
   * Records conversation, receivers and flags of a message. Ids ascend from call to call.
   * @returns undefined if the message is left out
   */
  #recordConversationAndFlags(
    row: CheckedExportRow,
    rows: UserAndFlagMaskPairs,
  ): ImportedMessageBeforeRendering | undefined {
    const { draft } = this;
    const id = draft.messageIdMap.findNewId(row.requiredId);
    if (id === undefined) throw row.makeRowError('the file changed while it was read');
    const sender = draft.userIdMap.requireNewId(row, 'sender');
    const place = this.#findConversationOf(row, sender);
    if (!place) {
      draft.adjustedRowCounts.addCount('message to a recipient that the export does not contain');
      this.#requireUsersOfRows(rows);
      return undefined;
    }
    addCountIfTruncated(row, draft);
    const sent = Math.floor(row.timeSecondsOrDefault('date_sent'));
    const { flags, wildcard } =
      place.stream === 0
        ? this.#recordDirectMessageReceivers(id, place, rows)
        : this.#recordStreamMessageReceivers(id, row, place, rows);
    if (place.stream !== 0) {
      this.#recordNewestInTopic(place, id);
      this.dailyMessageCountsByStreamId.set(
        place.stream,
        withMessageAddedToDailyCounts(this.dailyMessageCountsByStreamId.get(place.stream), sent * 1000),
      );
    } else this.directConversations.recordMessage(place.participants, place.recipient, id);
    const files = draft.filePathsByMessageId.get(id) ?? [];
    this.uploads.recordMessageLinksToFiles(files, id, sent);
    const submessages = this.submessages.makeSubmessagesOf(id, sender);
    const client = draft.clientNameByExportedId.get(row.nonNegativeIntegerOr('sending_client', -1)) ?? 'import';
    const edits = this.#readEditHistoryOrCountLeftOut(row, place, sender);
    return { id, row, sender, place, flags, wildcard, files, submessages, client, edits };
  }

  #findConversationOf(row: CheckedExportRow, sender: number): ImportedMessageConversation | undefined {
    const { draft } = this;
    const recipient = draft.recipientByExportedId.get(row.requireNonNegativeInteger('recipient'));
    if (!recipient) return undefined;
    if (recipient.kind === 'stream') {
      const stream = draft.streamIdMap.requireNewId(row, 'recipient', recipient.of);
      const topic = toImportedTopic(row.textOrDefault('subject'));
      return { stream, topic, participants: [], recipient: draft.directoryRecords.streams[stream - 1]!.recipient };
    }
    if (recipient.kind === 'user') {
      const user = draft.userIdMap.findNewId(recipient.of);
      if (user === undefined) return undefined;
      const participants = [...new Set([sender, user])].sort((a, b) => a - b);
      return { stream: 0, topic: '', participants, recipient: user };
    }
    const group = draft.directGroupByExportedId.get(recipient.of);
    if (!group) return undefined;
    const others = group.participants.filter((user) => user !== sender);
    const own = group.recipient === 0 ? (others[0] ?? sender) : group.recipient;
    return { stream: 0, topic: '', participants: group.participants, recipient: own };
  }

  #recordStreamMessageReceivers(
    id: number,
    row: CheckedExportRow,
    { stream }: ImportedMessageConversation,
    rows: UserAndFlagMaskPairs,
  ) {
    const topicBits = topicMentionBitsOfHtml(row.textOrDefault('rendered_content'));
    const everybodyBits = EXPORTED_MESSAGE_FLAG_BITS.wildcard_mentioned & ~topicBits;
    const { read, historical } = EXPORTED_MESSAGE_FLAG_BITS;
    const receivers = this.copies.receiversOfStream(stream);
    const flags: Record<string, string[]> = {};
    let wildcard = false;
    receivers.beginMessage(id);
    for (let i = 0; i < rows.length; i += 2) {
      const mask = rows[i + 1]!;
      const user = receivers.addRow(rows[i]!, (mask & read) !== 0, (mask & historical) === 0);
      if ((mask & ~read) === 0) continue;
      if ((mask & historical) !== 0) this.marks.addMarkedMessage(user, 'historical', id);
      this.#recordUserMarksAndFlags(user, id, mask, flags);
      if ((mask & topicBits) !== 0) flags[user] = [...(flags[user] ?? []), 'wildcard_mentioned'];
      if ((mask & everybodyBits) !== 0) wildcard = true;
    }
    receivers.addAwayUsers(row.requiredId);
    return { flags, wildcard };
  }

  #recordDirectMessageReceivers(id: number, { participants }: ImportedMessageConversation, rows: UserAndFlagMaskPairs) {
    const flags: Record<string, string[]> = {};
    let wildcard = false;
    const missing = new Set(participants);
    for (let i = 0; i < rows.length; i += 2) {
      const user = requireReceiverId(this.draft.userIdMap, rows[i]!);
      const mask = rows[i + 1]!;
      if (!missing.delete(user)) continue;
      this.marks.addMessageReadState(user, 0, id, (mask & EXPORTED_MESSAGE_FLAG_BITS.read) !== 0);
      this.#recordUserMarksAndFlags(user, id, mask, flags);
      if ((mask & EXPORTED_MESSAGE_FLAG_BITS.wildcard_mentioned) !== 0) wildcard = true;
    }
    // On this server every participant has the message; a participant without a row has read it.
    for (const user of missing) this.marks.addMessageReadState(user, 0, id, true);
    return { flags, wildcard };
  }

  #recordUserMarksAndFlags(user: number, id: number, mask: number, flags: Record<string, string[]>): void {
    if ((mask & EXPORTED_MESSAGE_FLAG_BITS.starred) !== 0) this.marks.addMarkedMessage(user, 'starred', id);
    if ((mask & EXPORTED_MESSAGE_FLAG_BITS.collapsed) !== 0) this.marks.addMarkedMessage(user, 'collapsed', id);
    if ((mask & (EXPORTED_MESSAGE_FLAG_BITS.mentioned | EXPORTED_MESSAGE_FLAG_BITS.has_alert_word)) === 0) return;
    const own: string[] = [];
    if ((mask & EXPORTED_MESSAGE_FLAG_BITS.mentioned) !== 0) own.push('mentioned');
    if ((mask & EXPORTED_MESSAGE_FLAG_BITS.has_alert_word) !== 0) own.push('has_alert_word');
    flags[user] = own;
  }

  #recordNewestInTopic({ stream, topic }: ImportedMessageConversation, id: number): void {
    let topics = this.newestInTopicByStream.get(stream);
    if (!topics) {
      topics = new Map();
      this.newestInTopicByStream.set(stream, topics);
      this.firstMessageIdByStreamId.set(stream, id);
    }
    topics.set(topic.toLowerCase(), { name: topic, max: id });
  }

  /**
   * Rewrites the links in the texts of messages and adds what is known without rendering. A dry run does not do this:
   * nothing here may refuse a row.
   */
  prepareForRendering(messages: readonly ImportedMessageBeforeRendering[]): UnrenderedMessage[] {
    return messages.map(({ id, row, sender, place, flags, wildcard, files, submessages: exported, client, edits }) => {
      const reactions = this.reactions.reactionsOf(id);
      const content = this.#readRewrittenContent(row, 'content', 'rendered_content');
      const submessages = exported ?? makeWidgetOfUneditedText(content, sender, edits);
      const body: MessageBody = {
        content,
        html: '',
        topic: place.topic,
        sent: Math.floor(row.timeSecondsOrDefault('date_sent')),
        client,
        recipient: place.recipient,
        stream: place.stream,
        rev: 1,
        flags,
        wildcard,
        topicLinks: this.#getOrFindTopicLinks(place.topic),
        has: { link: false, image: false },
        ...(reactions ? { reactions } : {}),
        ...(submessages.length > 0 ? { submessages } : {}),
        ...(files.length > 0 ? { files } : {}),
      };
      return {
        id,
        sender,
        participants: place.participants,
        originStream: place.stream,
        body,
        directConversation:
          place.stream === 0
            ? storeNameOfDirectConversation(this.draft.facts.realm, place.participants.map(toUserId))
            : '',
        newerMentions: hasNewerMentions(row.textOrDefault('rendered_content')),
        edits,
      };
    });
  }

  #readRewrittenContent(row: CheckedExportRow, field: string, htmlField: string): string {
    const text = row.textOrDefault(field).replaceAll('\u0000', '');
    return this.#linkRewriter.rewriteLinksAndMentions(truncateMessageContent(text), row.textOrDefault(htmlField));
  }

  #getOrFindTopicLinks(topic: string): MessageBody['topicLinks'] {
    if (topic === '' || (this.directory.linkifiers().length === 0 && !topic.includes('://'))) return [];
    let links = this.#cachedLinksByTopic.get(topic);
    if (!links) {
      if (this.#cachedLinksByTopic.size >= MAX_TOPICS_WITH_CACHED_LINKS) this.#cachedLinksByTopic.clear();
      links = findTopicLinks(topic, this.directory.linkifiers());
      this.#cachedLinksByTopic.set(topic, links);
    }
    return links;
  }

  /** Reads the edit history, newest first. One that can't be read is left out, and the message stays. */
  #readEditHistoryOrCountLeftOut(
    row: CheckedExportRow,
    place: ImportedMessageConversation,
    sender: number,
  ): readonly UnrenderedMessageEdit[] {
    try {
      return this.#readEditHistoryNewestFirst(row, place, sender);
    } catch (error) {
      if (!(error instanceof ExportFormatError)) throw error;
      this.draft.adjustedRowCounts.addCount('edit history that is damaged');
      return [];
    }
  }

  #readEditHistoryNewestFirst(
    row: CheckedExportRow,
    place: ImportedMessageConversation,
    sender: number,
  ): UnrenderedMessageEdit[] {
    const text = row.textOrDefault('edit_history');
    if (text === '' || text === '[]') return [];
    const edits: UnrenderedMessageEdit[] = [];
    // Older servers record only the topic that a message left: the new topic is in the next newer entry.
    let topic = place.topic;
    for (const entry of parseEditHistoryRows(text, row)) {
      const read = this.#readEditEntry(entry, topic, sender);
      if (read.edit.topic) topic = read.edit.topic.from;
      edits.push(read);
    }
    return edits;
  }

  #readEditEntry(entry: CheckedExportRow, topic: string, sender: number): UnrenderedMessageEdit {
    const { draft } = this;
    const user =
      (entry.hasNonNullField('user_id')
        ? draft.userIdMap.findNewId(entry.requireNonNegativeInteger('user_id'))
        : undefined) ?? sender;
    const column = entry.hasNonNullField('prev_topic') ? 'prev_topic' : 'prev_subject';
    const from = entry.hasNonNullField(column) ? toImportedTopic(entry.textOrDefault(column)) : undefined;
    const raw = entry.hasNonNullField('prev_content')
      ? this.#readRewrittenContent(entry, 'prev_content', 'prev_rendered_content')
      : undefined;
    const [before, after] = ['prev_stream', 'stream'].map((name) =>
      entry.hasNonNullField(name) ? draft.streamIdMap.findNewId(entry.requireNonNegativeInteger(name)) : undefined,
    );
    const edit = {
      user,
      at: Math.floor(entry.timeSecondsOrDefault('timestamp')),
      ...(from === undefined ? {} : { topic: { from, to: toImportedTopic(entry.textOrDefault('topic', topic)) } }),
      ...(before !== undefined && after !== undefined ? { stream: { from: before, to: after } } : {}),
    };
    return { edit, raw, newerMentions: hasNewerMentions(entry.textOrDefault('prev_rendered_content')) };
  }
}

function addCountIfTruncated(row: CheckedExportRow, draft: ImportedOrganizationDraft): void {
  const text = row.textOrDefault('content');
  if (truncateMessageContent(text) !== text) draft.adjustedRowCounts.addCount('end of a message that is too long');
}

/**
 * Makes the widget of a poll or to-do list, which the format does not have. A text that is a command only since an edit
 * has none.
 */
function makeWidgetOfUneditedText(content: string, sender: number, edits: readonly UnrenderedMessageEdit[]) {
  if (edits.some(({ raw }) => raw !== undefined)) return [];
  const widget = makeWidgetSubmessageIfAny(content, null, sender);
  return widget ? [widget] : [];
}

function parseEditHistoryRows(text: string, row: CheckedExportRow): CheckedExportRow[] {
  try {
    const entries = JSON.parse(text) as unknown;
    if (!Array.isArray(entries) || !entries.every(isJsonObject)) throw new Error();
    return entries.map((entry) => new CheckedExportRow(row.table, { ...entry, id: row.requiredId }));
  } catch {
    throw row.makeRowError('edit_history is no list of edits');
  }
}

/** Makes the row of zerver_message. @param edits those that the export shows; all if left out */
export function makeMessageRow(
  { id, sender, body }: StoredMessage,
  clients: ReadonlyMap<string, number>,
  edits: readonly StoredMessageEdit[] = body.edits ?? [],
): JsonObject {
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
    ...makeEditColumns(body.edits?.[0]?.at, edits),
    has_attachment: (body.files?.length ?? 0) > 0,
    has_image: body.has.image,
    has_link: body.has.link,
    search_tsvector: null,
  };
}

/** @param lastEditTime seconds since 1970; undefined without edits @param edits those that the export shows */
export const makeEditColumns = (lastEditTime: number | undefined, edits: readonly StoredMessageEdit[]): JsonObject => ({
  last_edit_time: lastEditTime ?? null,
  edit_history: edits.length === 0 ? null : JSON.stringify(edits.map(makeEditHistoryEntry)),
});

const makeEditHistoryEntry = ({ user, at, content, topic, stream }: StoredMessageEdit): JsonObject => ({
  user_id: user,
  timestamp: at,
  ...(content
    ? { prev_content: content.raw, prev_rendered_content: content.html, prev_rendered_content_version: 1 }
    : {}),
  ...(topic ? { prev_topic: topic.from, topic: topic.to } : {}),
  ...(stream ? { prev_stream: stream.from, stream: stream.to } : {}),
});

/** Imports zerver_scheduledmessage into parts of the senders. */
export async function importScheduledMessageRow(
  row: CheckedExportRow,
  draft: ImportedOrganizationDraft,
  numberOf: (user: UserId) => number,
  render: (content: string, sender: number, newerMentions: boolean) => Promise<MarkdownRenderResult | null>,
): Promise<void> {
  if (row.booleanOrDefault('delivered')) return;
  if (row.nonNegativeIntegerOr('delivery_type', SEND_LATER_DELIVERY_TYPE) !== SEND_LATER_DELIVERY_TYPE) {
    draft.adjustedRowCounts.addCount('reminder');
    return;
  }
  const sender = draft.userIdMap.requireNewId(row, 'sender');
  const recipient = draft.recipientByExportedId.get(row.requireNonNegativeInteger('recipient'));
  const place = recipient && findScheduledMessageTarget(row, recipient.kind, recipient.of, sender, draft);
  if (!place) {
    draft.adjustedRowCounts.addCount('scheduled message to an unknown recipient');
    return;
  }
  const id = numberOf(toUserId(sender));
  const at = Math.floor(row.timeSecondsOrDefault('scheduled_timestamp'));
  // The former server may have sent it since the export, so only its author can tell whether it is still to be sent.
  const isOverdue = !row.booleanOrDefault('failed') && at * 1000 <= draft.facts.begun;
  const failed = isOverdue || row.booleanOrDefault('failed');
  if (isOverdue) draft.adjustedRowCounts.addCount('sending of a scheduled message whose time has passed');
  addCountIfTruncated(row, draft);
  const text = truncateMessageContent(row.textOrDefault('content'));
  const html = row.textOrDefault('rendered_content');
  const content = new ImportedLinkRewriter(draft).rewriteLinksAndMentions(text, html);
  const newerMentions = hasNewerMentions(html);
  const rendered = await render(content, sender, newerMentions);
  const message: Record<string, Json> = {
    id,
    ...place,
    content,
    html: rendered?.html ?? makeRenderFailureHtml('Conclave'),
    wildcard: rendered?.mentions.wildcard ?? false,
    ...(newerMentions ? { newer_mentions: true } : {}),
    at,
    phase: failed ? 'failed' : 'waiting',
    client: draft.clientNameByExportedId.get(row.nonNegativeIntegerOr('sending_client', -1)) ?? 'import',
    origin: draft.facts.origin,
  };
  draft.mergeUserParts(sender, { [`scheduled/${id}`]: message });
  draft.extraUserStateByUserId.set(sender, { ...draft.extraUserStateByUserId.get(sender), lastScheduled: id });
  if (!failed)
    draft.earliestDueTimeMsByUserId.set(
      sender,
      Math.min(at * 1000, draft.earliestDueTimeMsByUserId.get(sender) ?? Number.POSITIVE_INFINITY),
    );
  draft.addImportedCount('scheduled messages');
}

function findScheduledMessageTarget(
  row: CheckedExportRow,
  kind: string,
  of: number,
  sender: number,
  draft: ImportedOrganizationDraft,
) {
  if (kind === 'stream') {
    const topic = toImportedTopic(row.textOrDefault('subject'));
    const stream = draft.streamIdMap.findNewId(of);
    return stream === undefined ? undefined : { type: 'stream', to: [stream], topic };
  }
  const user = draft.userIdMap.findNewId(of);
  const people =
    kind === 'group' ? draft.directGroupByExportedId.get(of)?.participants : user === undefined ? undefined : [user];
  if (!people) return undefined;
  const others = people.filter((one) => one !== sender);
  return { type: 'private', to: others.length > 0 ? others : [sender], topic: '' };
}
