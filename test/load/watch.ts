/** Reads the metrics of all processes of a deployment while it is under load. */
import { setTimeout as sleep } from 'node:timers/promises';
import { scrape } from '../clients/support/scrape.js';
import { now } from './clock.js';
import { ProcessFigures, type Scrape } from './process-figures.js';

const EVERY_MS = 2_000;
/** An overloaded process may answer late: the load is not held up for it. */
const PATIENCE_MS = 3_000;

/** Addresses as options name them, with or without `/metrics`. @throws Error that names the one that is no URL */
export function addressesOf(list: string): string[] {
  return list
    .split(',')
    .filter(Boolean)
    .map((text) => {
      const url = URL.canParse(text) ? new URL(text) : undefined;
      if (url?.protocol !== 'http:' && url?.protocol !== 'https:') throw new Error(`--metrics: not a URL: ${text}`);
      return `${url.origin}${url.pathname.replace(/(\/metrics)?\/*$/, '')}`;
    });
}

export class MetricsWatch {
  #scrapes = new Map<string, Scrape[]>();
  #timer: NodeJS.Timeout | undefined;

  /** @param isRead whether a sample of this name is kept */
  constructor(
    private readonly addresses: readonly string[],
    private readonly isRead: (name: string) => boolean,
  ) {}

  /** @throws Error that names the first address that has no metrics, and the reason */
  async check(): Promise<void> {
    for (const address of this.addresses) {
      try {
        await scrape(address);
      } catch (error) {
        const { message, cause } = error as Error;
        const reason = cause instanceof Error ? cause.message : message;
        throw new Error(
          `--metrics ${address}: ${reason} (metrics are at the port for operators of each process, --ops-port, and not at that of clients)`,
        );
      }
    }
  }

  /** Figures begin here. */
  async begin(): Promise<void> {
    this.stop();
    this.#scrapes = new Map(this.addresses.map((address) => [address, []]));
    await this.#scrapeAll();
    this.#timer = setInterval(() => void this.#scrapeAll(), EVERY_MS);
  }

  /** Figures since `begin`; processes that never answered are left out. */
  async end(): Promise<ProcessFigures[]> {
    this.stop();
    await this.#scrapeAll();
    return [...this.#scrapes].flatMap(([address, scrapes]) =>
      scrapes.length === 0 ? [] : [new ProcessFigures(new URL(address).host, scrapes)],
    );
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async #scrapeAll(): Promise<void> {
    const scrapes = this.#scrapes;
    const reading = this.addresses.map(async (address) => {
      // A process without an answer is seen by what else it does not answer.
      const text = await scrape(address).catch(() => undefined);
      if (!text) return;
      const samples = text.samples.filter(({ name }) => this.isRead(name.replace(/_(bucket|sum|count)$/, '')));
      scrapes.get(address)?.push({ at: now(), samples });
    });
    await Promise.race([Promise.all(reading), sleep(PATIENCE_MS, undefined, { ref: false })]);
  }
}
