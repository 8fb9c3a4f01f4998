/** Bare programs other than the HTTP server: round trips through NATS, and durable writes to disk or database. */
import { randomBytes } from 'node:crypto';
import { cpuMs } from './cpu.js';
import type { ClosedLoopOptions, NatsJob, RateResult, StoreJob } from './jobs.js';
import type { FaceName } from './options.js';
import { JobProcess } from './processes.js';

export const BARE_NATS = 'bare NATS round trip';
export const BARE_STORE: Readonly<Record<FaceName, string>> = {
  embedded: 'bare LMDB write, flushed',
  cluster: 'bare insertOne',
};

/** Starts each process at its first use. */
export class BarePrograms {
  readonly #id = `bench${randomBytes(4).toString('hex')}`;
  #requester: JobProcess<NatsJob, RateResult> | undefined;
  #responder: JobProcess<NatsJob, unknown> | undefined;
  #store: JobProcess<StoreJob, RateResult> | undefined;
  #subjects = 0;

  constructor(
    private readonly services: { readonly nats?: string | undefined; readonly mongodb?: string | undefined },
  ) {}

  /** @returns a function that measures round trips; its CPU time is the sum of requester and responder */
  async roundTrips(
    requestBytes: number,
    responseBytes: number,
  ): Promise<(options: ClosedLoopOptions) => Promise<RateResult>> {
    const url = this.services.nats!;
    this.#requester ??= new JobProcess('./bare-nats.js');
    this.#responder ??= new JobProcess('./bare-nats.js');
    const [requester, responder] = [this.#requester, this.#responder];
    const subject = `${this.#id}.${this.#subjects++}`;
    await responder.run({ kind: 'answer', url, subject, bytes: responseBytes });
    return async (options) => {
      const before = cpuMs([responder.pid]);
      const result = await requester.run({ kind: 'ask', url, subject, bytes: requestBytes, ...options });
      // The responder's CPU time includes the warm-up.
      const share = options.ms / (options.ms + options.warmUpMs);
      return { ...result, cpuMs: result.cpuMs + (cpuMs([responder.pid]) - before) * share };
    };
  }

  /**
   * @param bytes size of the stored message
   * @returns a function that measures writes to the database of the face
   */
  writes(face: FaceName, bytes: number): (options: ClosedLoopOptions) => Promise<RateResult> {
    this.#store ??= new JobProcess('./bare-store.js');
    const store = this.#store;
    if (face === 'embedded') return (options) => store.run({ kind: 'lmdb', bytes, ...options });
    const url = new URL(this.services.mongodb!);
    url.pathname = `/${this.#id}`;
    return (options) => store.run({ kind: 'mongodb', url: url.href, bytes, ...options });
  }

  async stop(): Promise<void> {
    await Promise.all([this.#requester, this.#responder, this.#store].map((worker) => worker?.stop()));
  }
}
