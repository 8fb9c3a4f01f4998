/** Bounds besides HTTP: a round trip through NATS, and a write to disk or database. Each starts at its first use. */
import { randomBytes } from 'node:crypto';
import { cpuMs } from './cpu.js';
import type { LoopOrder, NatsOrder, RateResult, StoreOrder } from './jobs.js';
import type { FaceName } from './options.js';
import { Worker } from './processes.js';

export const NATS = 'bare NATS round trip';
export const STORE: Readonly<Record<FaceName, string>> = {
  embedded: 'bare LMDB write, flushed',
  cluster: 'bare insertOne',
};

export class BareTools {
  readonly #id = `bench${randomBytes(4).toString('hex')}`;
  #asking: Worker<NatsOrder, RateResult> | undefined;
  #answering: Worker<NatsOrder, unknown> | undefined;
  #store: Worker<StoreOrder, RateResult> | undefined;
  #subjects = 0;

  constructor(
    private readonly services: { readonly nats?: string | undefined; readonly mongodb?: string | undefined },
  ) {}

  /** @returns measures round trips with `there` bytes out and `back` bytes back; CPU time is that of both sides */
  async roundTrips(there: number, back: number): Promise<(order: LoopOrder) => Promise<RateResult>> {
    const url = this.services.nats!;
    this.#asking ??= new Worker('./bare-nats.js');
    this.#answering ??= new Worker('./bare-nats.js');
    const [asking, answering] = [this.#asking, this.#answering];
    const subject = `${this.#id}.${this.#subjects++}`;
    await answering.run({ kind: 'answer', url, subject, bytes: back });
    return async (order) => {
      const before = cpuMs([answering.pid]);
      const result = await asking.run({ kind: 'ask', url, subject, bytes: there, ...order });
      // The other side worked during warming up, too.
      const share = order.ms / (order.ms + order.warmMs);
      return { ...result, cpuMs: result.cpuMs + (cpuMs([answering.pid]) - before) * share };
    };
  }

  /** @param bytes of a message, as its event */
  writes(face: FaceName, bytes: number): (order: LoopOrder) => Promise<RateResult> {
    this.#store ??= new Worker('./bare-store.js');
    const store = this.#store;
    if (face === 'embedded') return (order) => store.run({ kind: 'lmdb', bytes, ...order });
    const url = new URL(this.services.mongodb!);
    url.pathname = `/${this.#id}`;
    return (order) => store.run({ kind: 'mongodb', url: url.href, bytes, ...order });
  }

  async stop(): Promise<void> {
    await Promise.all([this.#asking, this.#answering, this.#store].map((worker) => worker?.stop()));
  }
}
