import type { Json } from '#base';
import type { Clock } from '#base/clock';
import type { MetricCounterSeries, MetricHistogramSeries, MetricsRegistry } from '#base/metrics';
import type { LogSeq, RealmId } from '#model';
import type { EventLog, EventLogBounds, EventLogReader, EventLogSubscription } from './log.js';

/** An EventLog that counts and times the use of another one. */
export class MeteredEventLog implements EventLog {
  readonly #done: MetricCounterSeries;
  readonly #failed: MetricCounterSeries;
  readonly #seconds: MetricHistogramSeries;
  readonly #entries: MetricCounterSeries;

  constructor(
    private readonly log: EventLog,
    private readonly clock: Clock,
    metrics: MetricsRegistry,
  ) {
    this.#done = metrics.counter('conclave_log_appends_total', 'done');
    this.#failed = metrics.counter('conclave_log_appends_total', 'failed');
    this.#seconds = metrics.histogram('conclave_log_append_seconds');
    this.#entries = metrics.counter('conclave_log_entries_total');
  }

  async append(realm: RealmId, value: Json): Promise<LogSeq> {
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

  position(realm: RealmId): Promise<EventLogBounds> {
    return this.log.position(realm);
  }

  subscribe(realm: RealmId, after: LogSeq, reader: EventLogReader): EventLogSubscription {
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
