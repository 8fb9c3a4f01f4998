import { type KV, type NatsConnection, NatsError, StorageType } from 'nats';
import { connectNats, loudly } from '../bus/bus-nats-link.js';
import type { KeyValue, KvEntry } from './kv.js';

/** Shorter than a lease, so that a renewal whose answer is lost can be repeated in time; milliseconds. */
const PATIENCE = 800;
const WRONG_LAST_SEQUENCE = 10071;

export interface NatsKvOptions {
  readonly bucket?: string;
  readonly replicas?: number;
}

/**
 * A JetStream key-value bucket without TTL. Watching is a plain subscription to the subject of the key: a consumer
 * would have to be looked after across restarts of the server, and a hint is all that leases need.
 */
export class NatsKv implements KeyValue {
  readonly #nats: NatsConnection;
  readonly #bucket: string;
  readonly #replicas: number;
  #kv: Promise<KV> | undefined;

  private constructor(nats: NatsConnection, options: NatsKvOptions) {
    this.#nats = nats;
    this.#bucket = options.bucket ?? 'CONCLAVE_PLACEMENT';
    this.#replicas = options.replicas ?? 1;
  }

  /** Rejects when no NATS server can be reached now; later losses are repaired by themselves. */
  static async connect(url: string, options: NatsKvOptions = {}): Promise<NatsKv> {
    return new NatsKv(await connectNats(url, 'conclave placement'), options);
  }

  get(key: string): Promise<KvEntry | undefined> {
    return this.#with(async (kv) => {
      const entry = await kv.get(key);
      return entry ? { value: entry.string(), revision: entry.revision } : undefined;
    });
  }

  put(key: string, value: string, revision: number): Promise<number | undefined> {
    return this.#with(async (kv) => {
      try {
        return revision === 0 ? await kv.create(key, value) : await kv.update(key, value, revision);
      } catch (error) {
        if (error instanceof NatsError && error.api_error?.err_code === WRONG_LAST_SEQUENCE) return undefined;
        throw error;
      }
    });
  }

  watch(key: string, changed: () => void): () => void {
    const subscription = this.#nats.subscribe(`$KV.${this.#bucket}.${key}`, {
      callback: () => loudly(changed),
    });
    return () => subscription.unsubscribe();
  }

  async close(): Promise<void> {
    await this.#nats.close();
  }

  async #with<T>(work: (kv: KV) => Promise<T>): Promise<T> {
    this.#kv ??= this.#nats
      .jetstream({ timeout: PATIENCE })
      .views.kv(this.#bucket, { history: 1, storage: StorageType.File, replicas: this.#replicas, timeout: PATIENCE });
    try {
      return await work(await this.#kv);
    } catch (error) {
      // Perhaps the bucket itself is gone: look for it, and make it if need be, next time.
      this.#kv = undefined;
      throw error;
    }
  }
}
