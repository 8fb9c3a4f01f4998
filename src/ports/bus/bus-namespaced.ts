import type { Json } from '#base';
import type { Bus, BusRequest, BusServerHandle, BusStats, PendingBusReply } from './bus.js';

/** A bus that prefixes all subjects, which separates clusters that share a NATS server. */
export class NamespacedBus implements Bus {
  constructor(
    private readonly bus: Bus,
    private readonly prefix: string,
  ) {}

  get id(): string {
    return this.bus.id;
  }

  get connected(): boolean {
    return this.bus.connected;
  }

  get stats(): BusStats | undefined {
    return this.bus.stats;
  }

  serve(subject: string, handler: (request: BusRequest) => void): Promise<BusServerHandle> {
    return this.bus.serve(`${this.prefix}.${subject}`, handler);
  }

  request(subject: string, value: Json, deadlineMs: number): PendingBusReply {
    return this.bus.request(`${this.prefix}.${subject}`, value, deadlineMs);
  }

  onSubjectServed(fn: (subject: string) => void): void {
    const start = `${this.prefix}.`;
    this.bus.onSubjectServed((subject) => {
      if (subject.startsWith(start)) fn(subject.slice(start.length));
    });
  }

  onReconnect(fn: () => void): void {
    this.bus.onReconnect(fn);
  }

  close(): Promise<void> {
    return this.bus.close();
  }
}
