/** Figures of one process of a deployment over some time, from its `/metrics` at several moments. */
import type { MetricName } from '#base/metrics';
import type { MetricsText } from '../support/metrics-text.js';

/** Metrics of the process itself that rules read. */
type ProcessMetric =
  | 'process_cpu_seconds_total'
  | 'process_open_fds'
  | 'process_max_fds'
  | 'process_resident_memory_bytes'
  | 'nodejs_gc_duration_seconds';
export type ReadMetric = MetricName | ProcessMetric;

export interface Scrape {
  /** Milliseconds. */
  readonly at: number;
  readonly samples: MetricsText['samples'];
}

type Labels = Readonly<Record<string, string>>;
type Sample = Scrape['samples'][number];

const hasLabels = ({ labels }: Sample, wanted: Labels): boolean =>
  Object.entries(wanted).every(([label, value]) => labels[label] === value);

const sumOf = ({ samples }: Scrape, name: string, labels: Labels): number | undefined => {
  const some = samples.filter((sample) => sample.name === name && hasLabels(sample, labels));
  return some.length === 0 ? undefined : some.reduce((sum, { value }) => sum + value, 0);
};

export class ProcessFigures {
  readonly #first: Scrape;
  readonly #last: Scrape;

  /** @param scrapes at least one, in their order */
  constructor(
    readonly address: string,
    private readonly scrapes: readonly Scrape[],
  ) {
    this.#first = scrapes[0]!;
    this.#last = scrapes.at(-1)!;
  }

  /** `http`, `actors` or `all`; undefined: not a process of this program. */
  get role(): string | undefined {
    return this.#build?.labels.role;
  }

  get isEmbedded(): boolean {
    return this.#build?.labels.face === 'embedded';
  }

  /** For people. */
  get name(): string {
    const names: Readonly<Record<string, string>> = { http: 'frontend', actors: 'actor host', all: 'server' };
    return `${names[this.role ?? ''] ?? 'process'} ${this.address}`;
  }

  get seconds(): number {
    return (this.#last.at - this.#first.at) / 1_000;
  }

  /** Growth of a counter. One that is smaller than before began again with its process. */
  increase(name: ReadMetric | `${ReadMetric}_${'sum' | 'count' | 'bucket'}`, labels: Labels = {}): number | undefined {
    const [before, after] = [sumOf(this.#first, name, labels), sumOf(this.#last, name, labels)];
    if (after === undefined) return undefined;
    return before === undefined || after < before ? after : after - before;
  }

  /** Growth of a counter per second; undefined: it has none, or was read once only. */
  rate(name: Parameters<ProcessFigures['increase']>[0], labels: Labels = {}): number | undefined {
    const increase = this.increase(name, labels);
    return increase === undefined || this.seconds <= 0 ? undefined : increase / this.seconds;
  }

  /** Mean of a gauge. */
  mean(name: ReadMetric, labels: Labels = {}): number | undefined {
    const values = this.scrapes
      .map((scrape) => sumOf(scrape, name, labels))
      .filter((value) => value !== undefined && Number.isFinite(value)) as number[];
    return values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0) / values.length;
  }

  /** Values of a label. */
  labelValues(name: ReadMetric, label: string): string[] {
    const values = this.#last.samples
      .filter((sample) => sample.name === name)
      .map(({ labels }) => labels[label])
      .filter((value) => value !== undefined);
    return [...new Set(values)];
  }

  /**
   * Quantile of the values of a histogram in this time, all labels together, linear within a bucket.
   *
   * @returns undefined where there are fewer values than `least`
   */
  quantile(name: ReadMetric, q: number, least: number): number | undefined {
    const bounds = this.labelValues(`${name}_bucket` as ReadMetric, 'le')
      .map((le) => ({ le, bound: le === '+Inf' ? Number.POSITIVE_INFINITY : Number(le) }))
      .sort((a, b) => a.bound - b.bound)
      .map(({ le, bound }) => ({ bound, count: this.increase(`${name}_bucket`, { le }) ?? 0 }));
    const all = bounds.at(-1)?.count ?? 0;
    if (all < least || all === 0) return undefined;
    let [below, from] = [0, 0];
    for (const { bound, count } of bounds) {
      if (count >= q * all) {
        // Beyond the last bound nothing is known.
        return Number.isFinite(bound)
          ? from + ((bound - from) * (q * all - below)) / Math.max(1e-9, count - below)
          : from;
      }
      [below, from] = [count, bound];
    }
    return from;
  }

  get #build(): Sample | undefined {
    return this.#last.samples.find(({ name }) => name === 'conclave_build_info');
  }
}
