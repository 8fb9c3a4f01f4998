import type { Json } from '#base';
import type { Clock } from '#base/clock';
import type { CounterSeries, HistogramSeries, Metrics } from '#base/metrics';
import type { RealmId, Seq } from '#model';
import type { EventLog, LogPosition, LogReader, LogSubscription } from './log.js';

/** An EventLog that counts and times the use of another one. */
export class MeteredLog implements EventLog {
  readonly #done: CounterSeries;
  readonly #failed: CounterSeries;
  readonly #seconds: HistogramSeries;
  readonly #entries: CounterSeries;

  constructor(
    private readonly log: EventLog,
    private readonly clock: Clock,
    metrics: Metrics,
  ) {
    this.#done = metrics.counter('conclave_log_appends_total', 'done');
    this.#failed = metrics.counter('conclave_log_appends_total', 'failed');
    this.#seconds = metrics.histogram('conclave_log_append_seconds');
    this.#entries = metrics.counter('conclave_log_entries_total');
  }

  async append(realm: RealmId, value: Json): Promise<Seq> {
    const began = this.clock.monotonic();
    try {
      const at = await this.log.append(realm, value);
      this.#done.n++;
      this.#seconds.observe((this.clock.monotonic() - began) / 1000);
      return at;
    } catch (error) {
      this.#failed.n++;
      throw error;
    }
  }

  publish(realm: RealmId, value: Json): void {
    this.log.publish(realm, value);
  }

  position(realm: RealmId): Promise<LogPosition> {
    return this.log.position(realm);
  }

  subscribe(realm: RealmId, after: Seq, reader: LogReader): LogSubscription {
    return this.log.subscribe(realm, after, {
      entry: (seq, value) => {
        this.#entries.n++;
        reader.entry(seq, value);
      },
      transient: (value) => reader.transient(value),
      gap: (trimmed) => reader.gap(trimmed),
    });
  }

  close(): Promise<void> {
    return this.log.close();
  }
}
