/** Reads the metrics of all server processes every 2 s during a measured time. */
import { setTimeout as sleep } from 'node:timers/promises';
import { scrape } from '../clients/support/scrape.js';
import { now } from './clock.js';
import { ProcessFigures, type Scrape } from './process-figures.js';

const SCRAPE_INTERVAL_MS = 2_000;
/** Longest wait for the metrics of all processes, ms, so that an overloaded process does not delay the run. */
const SCRAPE_TIMEOUT_MS = 3_000;

/** Parses a list of addresses, with or without `/metrics`. @throws Error with an address that is no URL */
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

  /** @param isRead whether to keep samples of a metric */
  constructor(
    private readonly addresses: readonly string[],
    private readonly isRead: (name: string) => boolean,
  ) {}

  /** Checks that all addresses have metrics. @throws Error with the first bad address and the reason */
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

  /** Starts the measured time with a first read. */
  async begin(): Promise<void> {
    this.stop();
    this.#scrapes = new Map(this.addresses.map((address) => [address, []]));
    await this.#scrapeAll();
    this.#timer = setInterval(() => void this.#scrapeAll(), SCRAPE_INTERVAL_MS);
  }

  /** @returns the figures since `begin`, without processes that never responded */
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
      // A failed read is left out; failed calls show an unresponsive process anyway.
      const text = await scrape(address).catch(() => undefined);
      if (!text) return;
      const samples = text.samples.filter(({ name }) => this.isRead(name.replace(/_(bucket|sum|count)$/, '')));
      scrapes.get(address)?.push({ at: now(), samples });
    });
    await Promise.race([Promise.all(reading), sleep(SCRAPE_TIMEOUT_MS, undefined, { ref: false })]);
  }
}
