import type { Json } from '#base';
import type { Clock } from '#base/clock';
import type { MetricCounterSeries, MetricHistogramSeries, MetricsRegistry } from '#base/metrics';
import type { LogSeq, RealmId } from '#model';
import type { EventLog, EventLogBounds, EventLogReader, EventLogSubscription, PreparedLogAppend } from './log.js';

/** An EventLog that counts and times the use of another one. */
export class MeteredEventLog implements EventLog {
  readonly #appendsDone: MetricCounterSeries;
  readonly #appendsFailed: MetricCounterSeries;
  readonly #appendSeconds: MetricHistogramSeries;
  readonly #entriesDelivered: MetricCounterSeries;
  readonly prepareAppend: EventLog['prepareAppend'];

  constructor(
    private readonly log: EventLog,
    private readonly clock: Clock,
    metrics: MetricsRegistry,
  ) {
    this.#appendsDone = metrics.findOrCreateCounter('conclave_log_appends_total', 'done');
    this.#appendsFailed = metrics.findOrCreateCounter('conclave_log_appends_total', 'failed');
    this.#appendSeconds = metrics.findOrCreateHistogram('conclave_log_append_seconds');
    this.#entriesDelivered = metrics.findOrCreateCounter('conclave_log_entries_total');
    const prepare = log.prepareAppend;
    this.prepareAppend = prepare && ((realm, value) => this.#meterPreparedAppend(prepare(realm, value)));
  }

  #meterPreparedAppend(append: PreparedLogAppend): PreparedLogAppend {
    const began = this.clock.monotonic();
    return {
      get position() {
        return append.position;
      },
      write: () => append.write(),
      settle: (done) => {
        append.settle(done);
        if (done) this.#recordAppend(began);
        else this.#appendsFailed.n++;
      },
    };
  }

  #recordAppend(began: number): void {
    this.#appendsDone.n++;
    this.#appendSeconds.observe((this.clock.monotonic() - began) / 1000);
  }

  async append(realm: RealmId, value: Json): Promise<LogSeq> {
    const began = this.clock.monotonic();
    try {
      const at = await this.log.append(realm, value);
      this.#recordAppend(began);
      return at;
    } catch (error) {
      this.#appendsFailed.n++;
      throw error;
    }
  }

  publishTransient(realm: RealmId, value: Json): void {
    this.log.publishTransient(realm, value);
  }

  readBounds(realm: RealmId): Promise<EventLogBounds> {
    return this.log.readBounds(realm);
  }

  subscribe(realm: RealmId, after: LogSeq, reader: EventLogReader): EventLogSubscription {
    return this.log.subscribe(realm, after, {
      onEntry: (seq, value) => {
        this.#entriesDelivered.n++;
        reader.onEntry(seq, value);
      },
      onTransient: (value) => reader.onTransient(value),
      onGap: (trimmed) => reader.onGap(trimmed),
    });
  }

  close(): Promise<void> {
    return this.log.close();
  }
}
