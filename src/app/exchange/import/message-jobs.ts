/**
 * The work on messages that takes most of an import's time and needs only plain data, so that threads can do it:
 * reading a file of messages; rendering and storing messages.
 */
import type { JsonObject } from '#base';
import { type DirectorySnapshot, RealmDirectory } from '#directory';
import { type MarkdownRenderResult, makeRenderFailureHtml } from '#domain/markdown';
import {
  type MessageBody,
  MessageRenderer,
  type StoredMessage,
  type StoredMessageEdit,
  toMessageRecord,
} from '#domain/messages';
import { type ProductEmoji, type RealmId, realmActorKey } from '#model';
import type { MessageRecord } from '#model/records';
import type { MessageBulkLoader, Store } from '#ports/store';
import { ExportFolder } from '../format/folder.js';
import type { JsonNumberTable } from '../format/json-rows.js';
import { type OpenedStore, openStoreAt, type StoreLocation } from '../store-location.js';
import { hasNewerMentions } from '../tables/newer-mentions.js';

export const MESSAGE_TABLE = 'zerver_message';
export const RECEIVER_TABLE = 'zerver_usermessage';
/** Columns of the messages that an import reads. The others are the larger part, most of all the old HTML. */
const IMPORTED_MESSAGE_COLUMNS = [
  'id',
  'sender',
  'recipient',
  'subject',
  'content',
  'date_sent',
  'sending_client',
  'edit_history',
] as const;

/** A file of messages that a thread reads. */
export interface MessageFileJob {
  readonly folder: string;
  readonly name: string;
  /** True if only the ids of the messages are needed. */
  readonly onlyIds: boolean;
}

export interface MessageFileContent {
  /** Ids of the messages in the export, in the order of the file. */
  readonly ids: Float64Array;
  /** Rows of the messages; empty if only the ids are needed. */
  readonly rows: readonly JsonObject[];
  /**
   * Rows of receivers as pairs of the user's id in the export and a sum of `EXPORTED_MESSAGE_FLAG_BITS`: those of the
   * first message first, and at the end those whose message is not in the file.
   */
  readonly receivers: Float64Array;
  /** Number of receivers of each message. */
  readonly receiverCounts: Uint32Array;
}

/** Reads a file of messages. @throws ExportFormatError */
export async function readMessageFile({ folder, name, onlyIds }: MessageFileJob): Promise<MessageFileContent> {
  const ids: number[] = [];
  const rows: JsonObject[] = [];
  // The file may have the rows of receivers before the messages.
  const pairsByMessage = new Map<number, number[]>();
  let last = { message: -1, pairs: [] as number[] };
  const addReceiver = (message: number, user: number, mask: number): void => {
    // The rows of one message usually lie together.
    if (message !== last.message) {
      last = { message, pairs: pairsByMessage.get(message) ?? [] };
      pairsByMessage.set(message, last.pairs);
    }
    last.pairs.push(user, mask);
  };
  const numberTable: JsonNumberTable = {
    name: RECEIVER_TABLE,
    columns: ['message', 'user_profile', 'flags_mask'],
    takeNumbers: (numbers) => addReceiver(numbers[0]!, numbers[1]!, numbers[2]!),
  };
  const skips = (table: string): boolean => table !== MESSAGE_TABLE && (onlyIds || table !== RECEIVER_TABLE);
  for await (const batch of new ExportFolder(folder).readRowBatches(name, { skips, numberTable })) {
    for (const row of batch) {
      if (row.table === MESSAGE_TABLE) {
        ids.push(row.requiredId);
        if (!onlyIds) rows.push(pickImportedColumns(row.fields));
      } else if (row.table === RECEIVER_TABLE) {
        addReceiver(
          row.requireNonNegativeInteger('message'),
          row.requireNonNegativeInteger('user_profile'),
          row.requireNonNegativeInteger('flags_mask'),
        );
      }
    }
  }
  return { ids: Float64Array.from(ids), rows, ...joinReceivers(ids, pairsByMessage) };
}

function pickImportedColumns(fields: JsonObject): JsonObject {
  const picked: Record<string, JsonObject[string]> = {};
  for (const name of IMPORTED_MESSAGE_COLUMNS) {
    const value = fields[name];
    if (value !== undefined) picked[name] = value;
  }
  // Of the old HTML only the kind of its mentions counts.
  const html = fields.rendered_content;
  if (typeof html === 'string' && hasNewerMentions(html)) picked.rendered_content = html;
  return picked;
}

function joinReceivers(ids: readonly number[], pairsByMessage: Map<number, number[]>) {
  const receiverCounts = new Uint32Array(ids.length);
  const lists: (readonly number[])[] = [];
  for (const [i, id] of ids.entries()) {
    const pairs = pairsByMessage.get(id);
    if (!pairs) continue;
    receiverCounts[i] = pairs.length / 2;
    lists.push(pairs);
    pairsByMessage.delete(id);
  }
  lists.push(...pairsByMessage.values());
  const receivers = new Float64Array(lists.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const pairs of lists) {
    receivers.set(pairs, at);
    at += pairs.length;
  }
  return { receivers, receiverCounts };
}

/** The facts of the imported organization that rendering depends on. */
export interface MessageRenderingContext {
  readonly realm: RealmId;
  readonly directory: DirectorySnapshot;
  readonly extraEmoji: ProductEmoji;
  readonly imageProxyKey: string;
  /** Base URL of the organization. */
  readonly origin: string;
}

export interface MessageWriterContext extends MessageRenderingContext {
  readonly store: StoreLocation;
}

/** An entry of an edit history whose earlier text is not rendered yet. */
export interface UnrenderedMessageEdit {
  readonly edit: StoredMessageEdit;
  /** The earlier text, in which links already refer to this server; undefined if the edit did not change the text. */
  readonly raw: string | undefined;
  /** True if the earlier text was written with mentions of newer clients. */
  readonly newerMentions: boolean;
}

/** A message in whose text links already refer to this server, before the text is rendered. */
export interface UnrenderedMessage extends StoredMessage {
  /** The body without what rendering gives: HTML, links, images and edits. */
  readonly body: MessageBody;
  /** Name of its direct conversation in the Store; '' for a message in a stream. */
  readonly directConversation: string;
  /** True if the text was written with mentions of newer clients. */
  readonly newerMentions: boolean;
  /** Edits, newest first. */
  readonly edits: readonly UnrenderedMessageEdit[];
}

/** Renders messages of one organization and makes their records. */
class ImportedMessageRenderer {
  readonly #renderer: MessageRenderer;
  readonly #directory: RealmDirectory;
  readonly #origin: string;

  constructor({ realm, directory, extraEmoji, imageProxyKey, origin }: MessageRenderingContext) {
    this.#renderer = new MessageRenderer(imageProxyKey);
    this.#directory = new RealmDirectory(realm, directory, extraEmoji);
    this.#origin = origin;
  }

  async makeRecord(unrendered: UnrenderedMessage): Promise<MessageRecord> {
    const { id, sender, participants, originStream, body, directConversation, newerMentions } = unrendered;
    const rendered = await this.#render(body.content, sender, newerMentions);
    const html = rendered?.html ?? makeRenderFailureHtml('Conclave');
    const edits: StoredMessageEdit[] = [];
    for (const { edit, raw, newerMentions } of unrendered.edits) {
      const { user, at, ...moves } = edit;
      const earlier = raw === undefined ? undefined : await this.#render(raw, sender, newerMentions);
      const content =
        raw === undefined ? {} : { content: { raw, html: earlier?.html ?? makeRenderFailureHtml('Conclave') } };
      edits.push({ user, at, ...content, ...moves });
    }
    const whole: MessageBody = {
      ...body,
      html,
      has: { link: rendered?.hasLink ?? false, image: rendered?.hasImage ?? false },
      ...(edits.length > 0 ? { edits } : {}),
    };
    return toMessageRecord({ id, sender, participants, originStream, body: whole }, directConversation);
  }

  #render(content: string, sender: number, newerMentions: boolean): Promise<MarkdownRenderResult | null> {
    return this.#renderer.renderOrNull(content, this.#directory, this.#origin, sender, newerMentions);
  }

  close(): Promise<void> {
    return this.#renderer.close();
  }
}

/** The loader of a Store that has none. */
class RecordWiseLoader implements MessageBulkLoader {
  constructor(
    private readonly store: Store,
    private readonly realm: RealmId,
  ) {}

  addMessages(messages: readonly MessageRecord[]): Promise<void> {
    const { realm } = this;
    return this.store.applyRecords(messages.map((value) => ({ type: 'message', realm, id: value.id, rev: 1, value })));
  }

  async flush(): Promise<void> {}
}

/** Renders messages of one organization and stores their records. */
export class StoringMessageWriter {
  readonly #renderer: ImportedMessageRenderer;
  readonly #loader: MessageBulkLoader;

  private constructor(
    context: MessageWriterContext,
    private readonly opened: OpenedStore,
  ) {
    this.#renderer = new ImportedMessageRenderer(context);
    const { realm } = context;
    const { store } = opened;
    this.#loader = store.makeMessageBulkLoader?.(realm, realmActorKey(realm)) ?? new RecordWiseLoader(store, realm);
  }

  static async open(context: MessageWriterContext): Promise<StoringMessageWriter> {
    return new StoringMessageWriter(context, await openStoreAt(context.store));
  }

  /** Stores the messages of a file. */
  async storeMessages(messages: readonly UnrenderedMessage[]): Promise<void> {
    const records: MessageRecord[] = [];
    for (const message of messages) records.push(await this.#renderer.makeRecord(message));
    // The Store is locked while it is written, so all is rendered before.
    await this.#loader.addMessages(records);
  }

  /** Waits until all stored messages are durable with their index entries. */
  flush(): Promise<void> {
    return this.#loader.flush();
  }

  async close(): Promise<void> {
    await this.#renderer.close();
    await this.opened.close();
  }
}
