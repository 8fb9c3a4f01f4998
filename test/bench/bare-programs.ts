/** Bounds besides HTTP: a round trip through NATS, and a write to disk or database. Each starts at its first use. */
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

export class BarePrograms {
  readonly #id = `bench${randomBytes(4).toString('hex')}`;
  #requester: JobProcess<NatsJob, RateResult> | undefined;
  #responder: JobProcess<NatsJob, unknown> | undefined;
  #store: JobProcess<StoreJob, RateResult> | undefined;
  #subjects = 0;

  constructor(
    private readonly services: { readonly nats?: string | undefined; readonly mongodb?: string | undefined },
  ) {}

  /** @returns measures round trips with `there` bytes out and `back` bytes back; CPU time is that of both sides */
  async roundTrips(there: number, back: number): Promise<(order: ClosedLoopOptions) => Promise<RateResult>> {
    const url = this.services.nats!;
    this.#requester ??= new JobProcess('./bare-nats.js');
    this.#responder ??= new JobProcess('./bare-nats.js');
    const [requester, responder] = [this.#requester, this.#responder];
    const subject = `${this.#id}.${this.#subjects++}`;
    await responder.run({ kind: 'answer', url, subject, bytes: back });
    return async (order) => {
      const before = cpuMs([responder.pid]);
      const result = await requester.run({ kind: 'ask', url, subject, bytes: there, ...order });
      // The other side worked during warming up, too.
      const share = order.ms / (order.ms + order.warmUpMs);
      return { ...result, cpuMs: result.cpuMs + (cpuMs([responder.pid]) - before) * share };
    };
  }

  /** @param bytes of a message, as its event */
  writes(face: FaceName, bytes: number): (order: ClosedLoopOptions) => Promise<RateResult> {
    this.#store ??= new JobProcess('./bare-store.js');
    const store = this.#store;
    if (face === 'embedded') return (order) => store.run({ kind: 'lmdb', bytes, ...order });
    const url = new URL(this.services.mongodb!);
    url.pathname = `/${this.#id}`;
    return (order) => store.run({ kind: 'mongodb', url: url.href, bytes, ...order });
  }

  async stop(): Promise<void> {
    await Promise.all([this.#requester, this.#responder, this.#store].map((worker) => worker?.stop()));
  }
}
