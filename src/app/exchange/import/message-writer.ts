/**
 * Renders and stores messages: most of the time of an import. It needs plain data only, so threads can do it
 * (message-threads.ts).
 */
import { setImmediate } from 'node:timers/promises';
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
import { type OpenedStore, openStoreAt, type StoreLocation } from '../store-location.js';

/** Name of the part that counts the message files that have been stored. No kind of actor loads this part. */
export const STORED_MESSAGE_FILES_PART_NAME = 'import-progress';
/** Number of messages that are rendered before other work of the thread gets its turn: some 1 ms. */
export const MESSAGES_PER_RENDERING_SLICE = 20;
/** Number of messages that are written at a time to a Store without a bulk loader of its own. */
const MESSAGES_PER_WRITE = 1_000;

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
export class ImportedMessageRenderer {
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

/** The bulk loader for a Store that has none of its own. */
class RecordWiseLoader implements MessageBulkLoader {
  #pending: MessageRecord[] = [];

  constructor(
    private readonly store: Store,
    private readonly realm: RealmId,
  ) {}

  async addMessages(messages: readonly MessageRecord[]): Promise<void> {
    this.#pending.push(...messages);
    if (this.#pending.length >= MESSAGES_PER_WRITE) await this.flush();
  }

  async flush(): Promise<void> {
    const { realm } = this;
    const messages = this.#pending;
    this.#pending = [];
    if (messages.length === 0) return;
    await this.store.applyRecords(messages.map((value) => ({ type: 'message', realm, id: value.id, rev: 1, value })));
  }
}

/** Messages of a slice of a file: those that are rendered already, and the others. */
export interface MessagesToStore {
  readonly rendered: readonly MessageRecord[];
  readonly unrendered: readonly UnrenderedMessage[];
}

/**
 * Renders messages of one organization and stores their records. The messages of a call are written while those of the
 * next one are rendered.
 */
export class StoringMessageWriter {
  readonly #renderer: ImportedMessageRenderer;
  readonly #loader: MessageBulkLoader;
  #storing: Promise<void> | undefined;
  #flushing: Promise<void> | undefined;

  private constructor(
    private readonly context: MessageWriterContext,
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

  /** Renders the messages of a slice, and begins to store them once the loader has taken those of the slice before. */
  async storeMessages({ rendered, unrendered }: MessagesToStore): Promise<void> {
    const records = [...rendered];
    for (const [i, message] of unrendered.entries()) {
      // Lets transactions of LMDB continue that are in progress.
      if (i % MESSAGES_PER_RENDERING_SLICE === 0) await setImmediate();
      records.push(await this.#renderer.makeRecord(message));
    }
    if (rendered.length > 0) records.sort((a, b) => a.id - b.id);
    await this.#storing;
    this.#storing = this.#loader.addMessages(records);
    // A failure is reported by the next call.
    this.#storing.catch(() => undefined);
  }

  /** Begins to make all messages durable with their index entries. */
  async beginFlush(): Promise<void> {
    await this.#storing;
    await this.#flushing;
    this.#flushing = this.#loader.flush();
    // A failure is reported by the next call.
    this.#flushing.catch(() => undefined);
  }

  /** Waits until the messages before the last `beginFlush` are durable with their index entries. */
  async endFlush(): Promise<void> {
    await this.#flushing;
  }

  /** Stores the number of files whose messages have been flushed. */
  async recordStoredFiles(files: number): Promise<void> {
    const key = realmActorKey(this.context.realm);
    await this.opened.store.applyRecords([
      { type: 'part', key, part: STORED_MESSAGE_FILES_PART_NAME, rev: files, value: files },
    ]);
  }

  async close(): Promise<void> {
    await Promise.allSettled([this.#storing, this.#flushing]);
    await this.#renderer.close();
    await this.opened.close();
  }
}
