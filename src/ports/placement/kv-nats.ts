import {
  createInbox,
  type JetStreamManager,
  type KV,
  type Msg,
  type NatsConnection,
  NatsError,
  StorageType,
  StringCodec,
} from 'nats';
import { connectNats, crashOnThrow } from '#ports/nats';
import type { KeyValueEntry, KeyValueStore } from './kv.js';

/**
 * Time limit of a request, milliseconds: shorter than a lease, so that a renewal whose answer was lost can be repeated
 * in time.
 */
const KV_REQUEST_TIMEOUT_MS = 800;
const WRONG_LAST_SEQUENCE_ERROR_CODE = 10071;
/**
 * Error codes of JetStream for a missing message: 10043 if none has this sequence number, 10057 if there is none at
 * all.
 */
const MISSING_MESSAGE_ERROR_CODES = [10043, 10057];
/**
 * Maximum of attempts to create the bucket. Hosts that start together create it together, and the server may refuse one
 * of them in between (nats-server pull request 4600).
 */
const MAX_BUCKET_CREATION_ATTEMPTS = 3;
/**
 * Maximum of attempts to read all keys. A key written during the read is missing from the answer, and the answer
 * reports that a key is missing.
 */
const MAX_READ_ALL_ATTEMPTS = 4;

interface NatsKvOptions {
  readonly bucket?: string;
  readonly replicas?: number;
  /**
   * True if the bucket must never be created; without a bucket every operation rejects with `NoPlacementBucketError`.
   */
  readonly existing?: boolean;
}

/** Name of the bucket with a cluster's keys. */
export const makePlacementBucketOptions = (namespace: string): { bucket: string } => ({
  bucket: namespace ? `CONCLAVE_PLACEMENT_${namespace}` : 'CONCLAVE_PLACEMENT',
});

export class NoPlacementBucketError extends Error {
  override name = 'NoPlacementBucketError';
}

interface OpenedBucket {
  readonly kv: KV;
  readonly manager: JetStreamManager;
}

/**
 * A JetStream key-value bucket without TTL. Watching is a plain subscription to the keys' subjects: hints are enough,
 * and a consumer would have to be maintained across restarts of the server. Reading all keys is one request
 * (`multi_last` of the direct-get API, NATS 2.11), for any number of hosts.
 */
export class NatsKeyValueStore implements KeyValueStore {
  readonly #nats: NatsConnection;
  readonly #bucketName: string;
  readonly #replicaCount: number;
  readonly #mustBucketExist: boolean;
  readonly #stringCodec = StringCodec();
  #openedBucket: Promise<OpenedBucket> | undefined;

  private constructor(nats: NatsConnection, options: NatsKvOptions) {
    this.#nats = nats;
    this.#bucketName = options.bucket ?? makePlacementBucketOptions('').bucket;
    this.#replicaCount = options.replicas ?? 1;
    this.#mustBucketExist = options.existing ?? false;
  }

  /** Connects to the bucket. Rejects if no NATS server can be reached now; later the client reconnects by itself. */
  static async connect(url: string, options: NatsKvOptions = {}): Promise<NatsKeyValueStore> {
    return new NatsKeyValueStore(await connectNats(url, 'conclave placement', { noEcho: true }), options);
  }

  get(key: string): Promise<KeyValueEntry | undefined> {
    return this.#withOpenBucket(async ({ kv }) => {
      const entry = await kv.get(key);
      return entry && entry.operation === 'PUT' ? { value: entry.string(), revision: entry.revision } : undefined;
    });
  }

  readAll(): Promise<ReadonlyMap<string, KeyValueEntry>> {
    return this.#withOpenBucket(async () => {
      for (let reads = 1; ; reads++) {
        const entries = await this.#readAllOnce();
        if (entries) return entries;
        if (reads === MAX_READ_ALL_ATTEMPTS) throw new Error('the keys changed during every read');
      }
    });
  }

  put(key: string, value: string, revision: number): Promise<number | undefined> {
    return this.#withOpenBucket(async ({ kv }) => {
      try {
        return revision === 0 ? await kv.create(key, value) : await kv.update(key, value, revision);
      } catch (error) {
        if (error instanceof NatsError && error.api_error?.err_code === WRONG_LAST_SEQUENCE_ERROR_CODE)
          return undefined;
        throw error;
      }
    });
  }

  /**
   * Removes the message with exactly this sequence number. The removal leaves no marker, and never removes a later
   * write.
   */
  delete(_key: string, revision: number): Promise<boolean> {
    return this.#withOpenBucket(async ({ manager }) => {
      try {
        return await manager.streams.deleteMessage(this.#streamName, revision, false);
      } catch (error) {
        if (error instanceof NatsError && MISSING_MESSAGE_ERROR_CODES.includes(error.api_error?.err_code ?? 0))
          return false;
        throw error;
      }
    });
  }

  watch(changed: (key: string, value: string) => void): () => void {
    const subscription = this.#nats.subscribe(`${this.#subjectPrefix}>`, {
      callback: (_error, message) =>
        crashOnThrow(() => changed(this.#keyOfSubject(message.subject), this.#stringCodec.decode(message.data))),
    });
    return () => subscription.unsubscribe();
  }

  async close(): Promise<void> {
    await this.#nats.close();
  }

  get #streamName(): string {
    return `KV_${this.#bucketName}`;
  }

  get #subjectPrefix(): string {
    return `$KV.${this.#bucketName}.`;
  }

  #keyOfSubject(subject: string): string {
    return subject.slice(this.#subjectPrefix.length);
  }

  /** Reads all keys; undefined if a key was written during the read and is therefore missing. */
  #readAllOnce(): Promise<ReadonlyMap<string, KeyValueEntry> | undefined> {
    const inbox = createInbox();
    const entries = new Map<string, KeyValueEntry>();
    return new Promise((resolve, reject) => {
      const subscription = this.#nats.subscribe(inbox, {
        timeout: KV_REQUEST_TIMEOUT_MS,
        callback: (error, message) => {
          const code = message?.headers?.code ?? 0;
          if (!error && code === 0) return this.#addReceivedEntry(entries, message);
          subscription.unsubscribe();
          if (error) reject(error);
          else if (code === 204) resolve(entries);
          else if (code === 404 && entries.size > 0) resolve(undefined);
          else if (code === 404) resolve(entries);
          else reject(new Error(`keys could not be read: ${code} ${message.headers?.description ?? ''}`));
        },
      });
      const request = JSON.stringify({ multi_last: [`${this.#subjectPrefix}>`] });
      this.#nats.publish(`$JS.API.DIRECT.GET.${this.#streamName}`, request, { reply: inbox });
    });
  }

  #addReceivedEntry(entries: Map<string, KeyValueEntry>, message: Msg): void {
    const operation = message.headers?.get('KV-Operation');
    if (operation === 'DEL' || operation === 'PURGE') return;
    const key = this.#keyOfSubject(message.headers?.get('Nats-Subject') ?? '');
    const revision = Number(message.headers?.get('Nats-Sequence'));
    entries.set(key, { value: this.#stringCodec.decode(message.data), revision });
  }

  async #withOpenBucket<T>(work: (bucket: OpenedBucket) => Promise<T>): Promise<T> {
    this.#openedBucket ??= this.#openBucket();
    try {
      return await work(await this.#openedBucket);
    } catch (error) {
      // The bucket itself may have been removed: the next operation opens it again, creating it if necessary.
      this.#openedBucket = undefined;
      throw error;
    }
  }

  async #openBucket(): Promise<OpenedBucket> {
    const jetstream = this.#nats.jetstream({ timeout: KV_REQUEST_TIMEOUT_MS });
    const manager = await this.#nats.jetstreamManager({ timeout: KV_REQUEST_TIMEOUT_MS, checkAPI: false });
    if (this.#mustBucketExist) await this.#assertBucketExists(manager);
    const options = {
      history: 1,
      storage: StorageType.File,
      replicas: this.#replicaCount,
      timeout: KV_REQUEST_TIMEOUT_MS,
    };
    for (let attempt = 1; ; attempt++) {
      try {
        return { kv: await jetstream.views.kv(this.#bucketName, options), manager };
      } catch (error) {
        if (attempt === MAX_BUCKET_CREATION_ATTEMPTS || !(error instanceof NatsError && error.api_error)) throw error;
      }
    }
  }

  async #assertBucketExists(manager: JetStreamManager): Promise<void> {
    try {
      await manager.streams.info(this.#streamName);
    } catch (error) {
      if (error instanceof NatsError && error.api_error?.code === 404)
        throw new NoPlacementBucketError(this.#bucketName);
      throw error;
    }
  }
}
